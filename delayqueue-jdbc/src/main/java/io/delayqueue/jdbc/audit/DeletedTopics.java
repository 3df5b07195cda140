package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Finds the messages that deleted topics had, page by page: there may be millions. */
final class DeletedTopics {

    private static final int PAGE = 500;

    private final JournalDatabase database;
    private final JournalTransaction transaction;
    private final String select;
    private final Queue<TimedEvent> deletions = new ConcurrentLinkedQueue<>();

    DeletedTopics(JournalDatabase database, JournalTransaction transaction) {
        this.database = database;
        this.transaction = transaction;
        String index = database.dialect().byIndex(database.tables().unqualified() + "message_due");
        this.select = "SELECT id, generation FROM " + database.tables().message() + index
                + " WHERE status = ? AND topic = ? AND updated <= ? ORDER BY due, id"
                + database.dialect().limit(PAGE);
    }

    void add(TimedEvent deletion) {
        deletions.add(deletion);
    }

    /** Number of deletions whose messages may not all have an end yet. May be asked by any thread. */
    int size() {
        return deletions.size();
    }

    /** Ends of some messages that were sent before their topic was deleted; perhaps none, when all of a topic have one. */
    List<TimedEvent> next() {
        TimedEvent deletion = deletions.peek();
        if (deletion == null) {
            return List.of();
        }
        List<TimedEvent> page = unfinished(deletion);
        if (page.isEmpty()) {
            deletions.remove();
        }
        return page;
    }

    private List<TimedEvent> unfinished(TimedEvent deletion) {
        AuditEvent event = deletion.event();
        return transaction.execute(() -> {
            long before = DatabaseTime.now(database).before(event.calledNanos());
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
