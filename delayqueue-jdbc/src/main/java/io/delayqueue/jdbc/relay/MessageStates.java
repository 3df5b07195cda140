package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.JournalDatabase;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.dialect.Condition;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.outbox.OutboxKey;
import java.util.Collection;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Writes to messages' rows what sending their changes has shown. Every call belongs to a transaction that has locked the outbox rows of
 * the ids.
 */
final class MessageStates {

    /** Messages of which Redis knows nothing yet. */
    private static final String UNSENT = MessageStatus.sqlList(MessageStatus::isUnsent);

    private final JournalDatabase database;
    private final JdbcClient jdbc;
    private final Dialect dialect;
    private final String update;
    private final String ofId;

    MessageStates(JournalDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
        this.dialect = database.dialect();
        this.update = "UPDATE " + database.tables().message() + dialect.byIndex("PRIMARY") + " SET updated = "
                + dialect.nowMicros() + ", ";
        this.ofId = " WHERE topic = ? AND id = ? AND (finished IS NULL OR status = 'DEAD') AND status NOT IN " + UNSENT;
    }

    /** Redis has the messages, unless their end was recorded already. */
    void scheduled(Collection<MessageKey> keys) {
        for (Condition condition : StoredMessages.conditions(database, keys)) {
            jdbc.sql(update + "status = 'SCHEDULED' WHERE " + condition.sql() + " AND status IN " + UNSENT)
                    .params(condition.parameters())
                    .update();
        }
    }

    /** Redis refused the message, as another one has its id. */
    void refused(MessageKey key, String status) {
        jdbc.sql(update + "status = ?, finished = " + dialect.nowMicros()
                        + " WHERE topic = ? AND id = ? AND generation = ? AND status IN " + UNSENT)
                .params(status, name(key.id().topic()), name(key.id().id()), key.generation())
                .update();
    }

    /** Other messages of an id that Redis had, dead letters too, gave way to one of this generation. */
    void replaced(MessageKey by) {
        jdbc.sql(update + "status = 'REPLACED', finished = " + dialect.nowMicros() + ofId + " AND generation <> ?")
                .params(name(by.id().topic()), name(by.id().id()), by.generation())
                .update();
    }

    /** Redis has no message of the id any more. */
    void cancelled(OutboxKey id) {
        jdbc.sql(update + "status = 'CANCELLED', finished = " + dialect.nowMicros() + ofId)
                .params(name(id.topic()), name(id.id()))
                .update();
    }

    /** The id's message has a new due time, and is no dead letter any more. */
    void rescheduled(OutboxKey id, long dueMicros, boolean instant) {
        jdbc.sql(update
                        + "due = ?, due_is_instant = ?, status = CASE status WHEN 'DEAD' THEN 'SCHEDULED' ELSE status END,"
                        + " finished = NULL" + ofId)
                .params(dueMicros, instant ? 1 : 0, name(id.topic()), name(id.id()))
                .update();
    }

    /** Messages that are not sent any more, or again, until somebody unblocks their id. */
    void unsent(OutboxKey id, boolean blocked) {
        jdbc.sql(update + "status = ? WHERE topic = ? AND id = ? AND status = ?")
                .params(blocked ? "BLOCKED" : "OUTBOX", name(id.topic()), name(id.id()), blocked ? "OUTBOX" : "BLOCKED")
                .update();
    }

    private Object name(String name) {
        return dialect.name(name);
    }
}
