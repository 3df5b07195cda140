package io.delayqueue.jdbc.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Rows of messages that another transaction changes while their states are written. */
class MessageStatesTests {

    private static final List<String> IDS = List.of("a", "b", "c");

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void noRowIsLeftOutThatAnotherTransactionChanges(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        IDS.forEach(id -> rows.message(id, generation(id), 0, new byte[1]));
        MessageStates states = new MessageStates(rows.database);
        List<MessageKey> keys = IDS.stream()
                .map(id -> new MessageKey(new MessageId(OutboxFixture.TOPIC, id), generation(id)))
                .toList();
        JournalTransaction transaction = new JournalTransaction(rows.database.dataSource(), rows.database.dialect());

        CompletableFuture<Void> writing = transaction.execute(() -> {
            rows.jdbc.sql("UPDATE delayqueue_message SET due = due + 1").update();
            CompletableFuture<Void> begun =
                    CompletableFuture.runAsync(() -> transaction.run(() -> states.scheduled(keys)));
            OutboxFixture.await().until(database::isSomebodyWaiting);
            return begun;
        });
        writing.get(1, TimeUnit.MINUTES);

        assertThat(IDS)
                .allSatisfy(id -> assertThat(rows.status(id, generation(id))).isEqualTo("SCHEDULED"));
    }

    private static String generation(String id) {
        return id.repeat(8);
    }
}
