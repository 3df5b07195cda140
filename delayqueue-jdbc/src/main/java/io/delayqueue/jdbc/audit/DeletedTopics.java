package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.util.ArrayList;
import java.util.List;

/** Finds the messages that a deleted topic had, page by page. */
final class DeletedTopics {

    private static final int PAGE = 500;

    private final JournalDatabase database;
    private final JournalTransaction transaction;
    private final String select;

    DeletedTopics(JournalDatabase database, JournalTransaction transaction) {
        this.database = database;
        this.transaction = transaction;
        String index = database.dialect().byIndex(database.tables().unqualified() + "message_due");
        this.select = "SELECT id, generation FROM " + database.tables().message() + index
                + " WHERE status = ? AND topic = ? AND updated <= ? ORDER BY due, id"
                + database.dialect().limit(PAGE);
    }

    /** Some of the messages that were sent before the deletion and have no end yet; none when all have one. */
    List<TimedEvent> next(TimedEvent deletion) {
        AuditEvent event = deletion.event();
        return transaction.execute(() -> {
            long before = DatabaseTime.now(database).at(event.nanos());
            List<TimedEvent> found = new ArrayList<>();
            for (MessageStatus status : MessageStatus.values()) {
                if (!status.isInRedis()) {
                    continue;
                }
                database.jdbc()
                        .sql(select)
                        .params(status.name(), database.dialect().name(event.topic()), before)
                        .query(row -> {
                            found.add(deletion.with(
                                    event.of(database.dialect().name(row, "id"), row.getString("generation"), null)));
                        });
            }
            return found;
        });
    }
}
