package io.delayqueue.jdbc.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.testsupport.database.CountingDataSource;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.util.List;

/** The cost of a batch of events in statements. */
class BatchedAuditTests {

    /** H2 is left out: without a round trip, it takes rows one at a time. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void aHundredAcksAreOneTransactionWithAsManyStatementsAsTen(TestDatabase database) throws Exception {
        CountingDataSource counting =
                new CountingDataSource(database.withSchema().dataSource());
        try (AuditFixture audit = new AuditFixture(counting, AuditSettings.DEFAULTS)) {
            List<OutgoingMessage> messages = audit.sent(AuditFixture.TOPIC, 110);

            int ofTen = statements(audit, counting, messages.subList(0, 10));
            int ofHundred = statements(audit, counting, messages.subList(10, 110));

            assertThat(ofTen).isBetween(2, 9);
            assertThat(ofHundred).isEqualTo(ofTen);
            assertThat(audit.count("message WHERE status = 'ACKED'")).isEqualTo(110);
        }
    }

    private static int statements(AuditFixture audit, CountingDataSource counting, List<OutgoingMessage> messages)
            throws InterruptedException {
        messages.forEach(message -> audit.handled(message, 1));
        counting.reset();
        audit.write();
        assertThat(counting.commits()).isEqualTo(1);
        return counting.executions();
    }
}
