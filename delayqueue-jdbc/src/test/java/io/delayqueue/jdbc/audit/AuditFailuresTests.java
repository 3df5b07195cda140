package io.delayqueue.jdbc.audit;

import static io.delayqueue.jdbc.audit.AuditFixture.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.List;

/** Events that can't be written. */
class AuditFailuresTests {

    @EachDatabase
    void anEventThatTheDatabaseCantKeepSpoilsNoOther(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = audit.sent(TOPIC, 50);
            messages.subList(0, 20).forEach(message -> audit.handled(message, 1));
            String tooLong = "x".repeat(900);
            audit.observer.cancelled(TOPIC, tooLong, Duration.ZERO);
            messages.subList(20, 50).forEach(message -> audit.handled(message, 1));

            audit.write();

            assertThat(messages)
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("ACKED"));
            assertThat(audit.buffer.dropped())
                    .isEqualTo(database.kind() == DatabaseKind.MARIADB && audit.count("event") == 51 ? 0 : 1);
            assertThat(audit.jdbc
                            .sql("SELECT name FROM delayqueue_lease")
                            .query(String.class)
                            .list())
                    .containsExactly("audit-gap");
        }
    }

    /** Code that fails for one event, such as a listener's, must not keep the writer from all others for good. */
    @EachDatabase(DatabaseKind.H2)
    void anEventThatCodeCantTakeIsDroppedAlone(TestDatabase database) throws Exception {
        try (AuditFixture audit = new AuditFixture(database)) {
            List<OutgoingMessage> messages = audit.sent(TOPIC, 50);
            messages.forEach(message -> audit.handled(message, 1));

            audit.writer(events -> {
                        if (events.stream().anyMatch(event -> event.id().equals("m17"))) {
                            throw new ArithmeticException("pretended");
                        }
                    })
                    .writeAll();

            assertThat(audit.buffer.dropped()).isOne();
            assertThat(audit.status(messages.get(17))).isEqualTo("SCHEDULED");
            assertThat(messages)
                    .filteredOn(message -> !message.id().equals("m17"))
                    .allSatisfy(message -> assertThat(audit.status(message)).isEqualTo("ACKED"));
        }
    }
}
