package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.testsupport.database.CountingDataSource;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.util.List;
import java.util.stream.IntStream;

/** The cost of a bulk in statements. */
class BatchedStatementsTests {

    /** H2 is left out: without a round trip, it takes rows one at a time. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void aHundredMessagesAreOneTransactionWithTwoStatements(TestDatabase database) {
        CountingDataSource counting = new CountingDataSource(database.dataSource());
        WritingFixture journal = new WritingFixture(database, counting);
        List<OutgoingMessage> messages = IntStream.range(0, 100)
                .mapToObj(i -> OutgoingMessage.to("orders")
                        .id("id-" + i)
                        .payload(new byte[200])
                        .header("order", "A-" + i)
                        .build())
                .toList();
        counting.reset();

        journal.sender.scheduleAll(messages);
        assertThat(counting.executions()).isEqualTo(2);
        assertThat(counting.commits()).isEqualTo(1);

        journal.sender.cancelAll(
                "orders", messages.stream().map(OutgoingMessage::id).toList());
        assertThat(counting.executions()).isEqualTo(3);
        assertThat(counting.commits()).isEqualTo(2);
        assertThat(journal.outboxIds()).hasSize(100);
    }
}
