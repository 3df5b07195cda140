package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.outbox.StatusList;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.RowUpdate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Updates messages' rows by Redis' answers to their changes. Every call belongs to a transaction that has locked the outbox rows of the
 * ids.
 */
final class MessageStates {

    /** Messages of which Redis knows nothing yet. */
    private static final String UNSENT = StatusList.of(MessageStatus::isUnsent);

    private final JournalDatabase database;
    private final JdbcClient jdbc;
    private final Dialect dialect;
    private final String update;
    private final RowUpdate scheduled;
    private final String ofId;

    MessageStates(JournalDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
        this.dialect = database.dialect();
        this.update = "UPDATE " + database.tables().message() + dialect.byIndex("PRIMARY") + " SET updated = "
                + dialect.nowMicros() + ", ";
        this.scheduled = new RowUpdate(jdbc, update + "status = 'SCHEDULED' WHERE status IN " + UNSENT + " AND ");
        this.ofId = " WHERE topic = ? AND id = ? AND (finished IS NULL OR status = 'DEAD') AND status NOT IN " + UNSENT;
    }

    /** Redis has the messages, unless their end was recorded already. */
    void scheduled(Collection<MessageKey> keys) {
        scheduled.of(List.of(), StoredMessages.conditions(database, keys), keys.size());
    }

    /** Redis refused the message, as another one has its id. */
    void refused(MessageKey key, String status) {
        jdbc.sql(update + "status = ?, finished = " + dialect.nowMicros()
                        + " WHERE topic = ? AND id = ? AND generation = ? AND status IN " + UNSENT)
                .params(status, name(key.message().topic()), name(key.message().id()), key.generation())
                .update();
    }

    /**
     * Other messages of an id that Redis had, dead letters too, gave way to one of this generation.
     *
     * @param later generations that the id had after it
     */
    void replaced(MessageKey by, Collection<String> later) {
        List<String> others = new ArrayList<>(later);
        others.add(by.generation());
        end("REPLACED", by.message(), others);
    }

    /**
     * Redis has no message of the id any more.
     *
     * @param later generations that the id had after it
     */
    void cancelled(MessageId id, Collection<String> later) {
        end("CANCELLED", id, later);
    }

    private void end(String status, MessageId id, Collection<String> others) {
        jdbc.sql(update + "status = ?, finished = " + dialect.nowMicros() + ofId + except(others))
                .param(status)
                .params(List.of(name(id.topic()), name(id.id())))
                .params(List.copyOf(others))
                .update();
    }

    /**
     * The id's message has a new due time, and is no dead letter any more.
     *
     * @param later generations that the id had after it
     */
    void rescheduled(MessageId id, long dueMicros, boolean instant, Collection<String> later) {
        jdbc.sql(update
                        + "due = ?, due_is_instant = ?, status = CASE status WHEN 'DEAD' THEN 'SCHEDULED' ELSE status END,"
                        + " finished = NULL" + ofId + except(later))
                .params(List.of(dueMicros, instant ? 1 : 0, name(id.topic()), name(id.id())))
                .params(List.copyOf(later))
                .update();
    }

    /**
     * Redis has no message of the id. If it lost an unfinished one, that is scheduled again, and for the new due time.
     *
     * @param later generations that the id had after it
     */
    void dueIfRestored(MessageId id, long dueMicros, boolean instant, Collection<String> later) {
        jdbc.sql(update + "due = ?, due_is_instant = ?" + ofId + " AND finished IS NULL" + except(later))
                .params(List.of(dueMicros, instant ? 1 : 0, name(id.topic()), name(id.id())))
                .params(List.copyOf(later))
                .update();
    }

    private static String except(Collection<String> generations) {
        return generations.isEmpty()
                ? ""
                : " AND generation NOT IN (" + String.join(", ", Collections.nCopies(generations.size(), "?")) + ")";
    }

    /** Messages that are not sent any more, or again, until somebody unblocks their id. */
    void unsent(MessageId id, boolean blocked) {
        jdbc.sql(update + "status = ? WHERE topic = ? AND id = ? AND status = ?")
                .params(blocked ? "BLOCKED" : "OUTBOX", name(id.topic()), name(id.id()), blocked ? "OUTBOX" : "BLOCKED")
                .update();
    }

    private Object name(String name) {
        return dialect.name(name);
    }
}
