package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalDatabase;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Rows of the outbox that are not sent until they are unblocked. Every call belongs to a transaction of the caller. */
final class BlockedRows {

    private final JournalDatabase database;
    private final JdbcClient jdbc;
    private final Dialect dialect;
    private final String byKey;
    private final String bySendAt;

    BlockedRows(JournalDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
        this.dialect = database.dialect();
        String table = database.tables().outbox();
        this.byKey = table + dialect.byIndex("PRIMARY");
        this.bySendAt = table + dialect.byIndex(database.tables().unqualified() + "outbox_send");
    }

    /** Blocked ids, up to a limit. */
    List<BlockedId> find(int limit) {
        return jdbc.sql("SELECT topic, id, error, failures, trace FROM " + bySendAt + " WHERE send_at = ?"
                        + dialect.limit(limit))
                .param(UnsentRows.BLOCKED)
                .query((row, number) -> new BlockedId(
                        dialect.name(row, "topic"),
                        dialect.name(row, "id"),
                        String.valueOf(row.getString("error")),
                        row.getInt("failures"),
                        row.getString("trace")))
                .list();
    }

    /** Some blocked ids of a topic, up to a limit. Rows of the topic that are not blocked are not read, of which there may be many. */
    List<MessageId> find(String topic, int limit) {
        // no comparison with the column alone: databases would look through the topic by the primary key
        return jdbc.sql("SELECT id FROM " + bySendAt + " WHERE send_at = ? AND CONCAT(topic, '') = ?"
                        + dialect.limit(limit))
                .params(UnsentRows.BLOCKED, dialect.name(topic))
                .query((row, number) -> new MessageId(topic, dialect.name(row, "id")))
                .list();
    }

    /** Lets a blocked row be sent at once; false if it is not blocked. */
    boolean unblock(MessageId key) {
        return jdbc.sql(
                                "UPDATE " + byKey
                                        + " SET failures = 0, error = NULL, send_at = ? WHERE topic = ? AND id = ? AND send_at = ?")
                        .params(
                                database.nowMicros(),
                                dialect.name(key.topic()),
                                dialect.name(key.id()),
                                UnsentRows.BLOCKED)
                        .update()
                > 0;
    }
}
