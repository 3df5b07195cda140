package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.JournalDatabase;
import io.delayqueue.jdbc.dialect.Condition;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.outbox.OutboxKey;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Finds rows of the outbox that nobody sends, by the ends of their claims. Every call belongs to a transaction of the caller. */
final class RowClaims {

    private final PendingRows rows;
    private final JdbcClient jdbc;
    private final Dialect dialect;
    private final String byKey;
    private final String bySendAt;

    RowClaims(JournalDatabase database, PendingRows rows) {
        this.rows = rows;
        this.jdbc = database.jdbc();
        this.dialect = database.dialect();
        this.byKey = database.tables().outbox() + dialect.byIndex("PRIMARY");
        this.bySendAt =
                database.tables().outbox() + dialect.byIndex(database.tables().unqualified() + "outbox_send");
    }

    /** Whether there are rows whose claim has ended, from a time on. */
    boolean hasEnded(long floorMicros) {
        return !jdbc.sql("SELECT send_at FROM " + bySendAt + " WHERE send_at >= ? AND send_at <= ? ORDER BY send_at"
                        + dialect.limit(1))
                .param(floorMicros)
                .param(rows.now())
                .query(Long.class)
                .list()
                .isEmpty();
    }

    /**
     * Rows that a search has claimed.
     *
     * @param rows the rows as they were before
     * @param reachedMicros the end of claims up to which the search has looked
     * @param more whether there may be more rows behind these
     */
    record Claimed(List<PendingRow> rows, long reachedMicros, boolean more) {}

    /**
     * Claims rows whose claim has ended, the longest ended first.
     *
     * @param claim number of the new claim
     * @param claimMicros for how long it lasts
     * @param floorMicros the end of claims to begin at: index entries of removed rows before it are not walked through again
     * @param limit most rows
     */
    Claimed claimEnded(long claim, long claimMicros, long floorMicros, int limit) {
        long now = rows.now();
        String ended = PendingRows.COLUMNS + bySendAt + " WHERE send_at >= ? AND send_at <= ? ORDER BY send_at"
                + dialect.limit(limit);
        List<PendingRow> found = jdbc.sql(dialect.limitsUnlockedRows() ? ended + PendingRows.SKIP_LOCKED : ended)
                .param(floorMicros)
                .param(now)
                .query(rows::row)
                .list();
        long reached = found.stream().mapToLong(PendingRow::sendAtMicros).max().orElse(floorMicros);
        List<PendingRow> claimed = dialect.limitsUnlockedRows() ? found : lockEnded(found, now);
        String update = "UPDATE " + byKey + " SET claim = ?, send_at = ? WHERE ";
        for (Condition condition :
                rows.conditions(claimed.stream().map(PendingRow::key).toList())) {
            jdbc.sql(update + condition.sql())
                    .param(claim)
                    .param(now + claimMicros)
                    .params(condition.parameters())
                    .update();
        }
        return new Claimed(claimed, reached, found.size() == limit && (!claimed.isEmpty() || reached > floorMicros));
    }

    private List<PendingRow> lockEnded(List<PendingRow> found, long now) {
        return rows.lock(found.stream().map(PendingRow::key).toList()).stream()
                .filter(row -> row.sendAtMicros() <= now)
                .toList();
    }

    /**
     * Ends claims and pauses that end later than any does: the database's clock was ahead when they began. Rows that other transactions
     * have locked are left to the next call.
     *
     * @param longestMicros of claims and pauses
     * @param limit most rows
     * @return the database's time
     */
    long endThoseAhead(long longestMicros, int limit) {
        long now = rows.now();
        String ahead = "SELECT topic, id FROM " + bySendAt + " WHERE send_at > ? AND send_at < ? ORDER BY send_at"
                + dialect.limit(limit);
        List<OutboxKey> keys = jdbc.sql(dialect.limitsUnlockedRows() ? ahead + PendingRows.SKIP_LOCKED : ahead)
                .param(now + longestMicros)
                .param(Long.MAX_VALUE)
                .query((row, number) -> new OutboxKey(dialect.name(row, "topic"), dialect.name(row, "id")))
                .list();
        if (!dialect.limitsUnlockedRows()) {
            keys = rows.lock(keys).stream().map(PendingRow::key).toList();
        }
        for (Condition condition : rows.conditions(keys)) {
            jdbc.sql("UPDATE " + byKey + " SET send_at = ? WHERE " + condition.sql()
                            + " AND send_at > ? AND send_at < ?")
                    .param(now)
                    .params(condition.parameters())
                    .param(now + longestMicros)
                    .param(Long.MAX_VALUE)
                    .update();
        }
        return now;
    }
}
