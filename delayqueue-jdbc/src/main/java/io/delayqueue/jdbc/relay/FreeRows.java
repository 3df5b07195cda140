package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.dialect.Condition;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalDatabase;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Finds and claims free rows of the outbox: their senders may not send them any more, as their time is over. Every call belongs to a
 * transaction of the caller.
 */
final class FreeRows {

    private final UnsentRows rows;
    private final JdbcClient jdbc;
    private final Dialect dialect;
    private final String byKey;
    private final String bySendAt;

    FreeRows(JournalDatabase database, UnsentRows rows) {
        this.rows = rows;
        this.jdbc = database.jdbc();
        this.dialect = database.dialect();
        this.byKey = database.tables().outbox() + dialect.byIndex("PRIMARY");
        this.bySendAt =
                database.tables().outbox() + dialect.byIndex(database.tables().unqualified() + "outbox_send");
    }

    /** Whether there are rows that are free, from a time on. */
    boolean hasFree(long floorMicros) {
        return !jdbc.sql("SELECT send_at FROM " + bySendAt + " WHERE send_at >= ? AND send_at <= ? ORDER BY send_at"
                        + dialect.limit(1))
                .param(floorMicros)
                .param(rows.now())
                .query(Long.class)
                .list()
                .isEmpty();
    }

    /**
     * Rows that were claimed.
     *
     * @param rows the rows as they were before
     * @param reachedMicros the time up to which the search has looked
     * @param more whether there may be more rows after these
     */
    record Claimed(List<UnsentRow> rows, long reachedMicros, boolean more) {}

    /**
     * Claims rows that are free, those that have waited longest first.
     *
     * @param sender number of the relay that claims them
     * @param sendTimeoutMicros for how long it may send them
     * @param floorMicros the time to begin at: index entries of removed rows before it are not walked through again
     * @param limit most rows
     */
    Claimed claim(long sender, long sendTimeoutMicros, long floorMicros, int limit) {
        long now = rows.now();
        String free = UnsentRows.COLUMNS + bySendAt + " WHERE send_at >= ? AND send_at <= ? ORDER BY send_at"
                + dialect.limit(limit);
        List<UnsentRow> found = jdbc.sql(dialect.limitsUnlockedRows() ? free + UnsentRows.SKIP_LOCKED : free)
                .param(floorMicros)
                .param(now)
                .query(rows::row)
                .list();
        long reached = found.stream().mapToLong(UnsentRow::sendAtMicros).max().orElse(floorMicros);
        List<UnsentRow> claimed = dialect.limitsUnlockedRows() ? found : lockFree(found, now);
        String update = "UPDATE " + byKey + " SET sender = ?, send_at = ? WHERE ";
        for (Condition condition :
                rows.conditions(claimed.stream().map(UnsentRow::key).toList())) {
            jdbc.sql(update + condition.sql())
                    .param(sender)
                    .param(now + sendTimeoutMicros)
                    .params(condition.parameters())
                    .update();
        }
        return new Claimed(claimed, reached, found.size() == limit && (!claimed.isEmpty() || reached > floorMicros));
    }

    private List<UnsentRow> lockFree(List<UnsentRow> found, long now) {
        return rows.lock(found.stream().map(UnsentRow::key).toList()).stream()
                .filter(row -> row.sendAtMicros() <= now)
                .toList();
    }

    /**
     * Frees rows that a sender of this process has, but will not send. It must not be sending any now.
     *
     * @param fromMicros the time to begin at, by {@code send_at}
     * @param longestMicros the sender's send timeout
     * @param limit most rows to look at, of whatever sender
     * @return the time to go on from; 0 if there are no more rows
     */
    long freeOf(long sender, long fromMicros, long longestMicros, int limit) {
        long now = rows.now();
        long from = Math.max(fromMicros, now + 1);
        List<Owned> found = jdbc.sql("SELECT topic, id, sender, send_at FROM " + bySendAt
                        + " WHERE send_at >= ? AND send_at <= ? ORDER BY send_at" + dialect.limit(limit))
                .param(from)
                .param(now + longestMicros)
                .query((row, number) -> new Owned(
                        new MessageId(dialect.name(row, "topic"), dialect.name(row, "id")),
                        row.getLong("sender"),
                        row.getLong("send_at")))
                .list();
        List<MessageId> own = found.stream()
                .filter(row -> row.sender == sender)
                .map(Owned::key)
                .toList();
        List<MessageId> unlocked = rows.lock(own).stream().map(UnsentRow::key).toList();
        for (Condition condition : rows.conditions(unlocked)) {
            jdbc.sql("UPDATE " + byKey + " SET send_at = ? WHERE " + condition.sql()
                            + " AND send_at > ? AND sender = ?")
                    .param(now)
                    .params(condition.parameters())
                    .param(now)
                    .param(sender)
                    .update();
        }
        if (found.size() < limit) {
            return 0;
        }
        long last = found.get(limit - 1).sendAt;
        // freed rows are gone from there; if all are others' or locked, those of the same time that did not fit wait
        // until then
        return last > from || !unlocked.isEmpty() ? last : last + 1;
    }

    private record Owned(MessageId key, long sender, long sendAt) {}

    /**
     * Frees rows that would be free later than any may: the database's clock was ahead when they were claimed or paused. Rows that other
     * transactions have locked are left to the next call.
     *
     * @param longestMicros longest send timeout or pause
     * @param limit most rows
     * @return the database's time
     */
    long freeThoseAhead(long longestMicros, int limit) {
        long now = rows.now();
        String ahead = "SELECT topic, id FROM " + bySendAt + " WHERE send_at > ? AND send_at < ? ORDER BY send_at"
                + dialect.limit(limit);
        List<MessageId> keys = jdbc.sql(dialect.limitsUnlockedRows() ? ahead + UnsentRows.SKIP_LOCKED : ahead)
                .param(now + longestMicros)
                .param(UnsentRows.BLOCKED)
                .query((row, number) -> new MessageId(dialect.name(row, "topic"), dialect.name(row, "id")))
                .list();
        if (!dialect.limitsUnlockedRows()) {
            keys = rows.lock(keys).stream().map(UnsentRow::key).toList();
        }
        for (Condition condition : rows.conditions(keys)) {
            jdbc.sql("UPDATE " + byKey + " SET send_at = ? WHERE " + condition.sql()
                            + " AND send_at > ? AND send_at < ?")
                    .param(now)
                    .params(condition.parameters())
                    .param(now + longestMicros)
                    .param(UnsentRows.BLOCKED)
                    .update();
        }
        return now;
    }
}
