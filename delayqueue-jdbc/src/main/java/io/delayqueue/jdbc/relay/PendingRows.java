package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.JournalDatabase;
import io.delayqueue.jdbc.JournalTables;
import io.delayqueue.jdbc.dialect.Condition;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.outbox.OutboxKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reads, claims and removes rows of the outbox. Every call belongs to a transaction of the caller. */
final class PendingRows {

    private static final String COLUMNS = "SELECT topic, id, operations, changes, failures, send_at FROM ";

    private static final String SKIP_LOCKED = " FOR UPDATE SKIP LOCKED";

    private final JournalDatabase database;
    private final JdbcClient jdbc;
    private final JournalTables tables;
    private final Dialect dialect;

    /** Table and index, as statements that search by keys name them. */
    private final String byKey;

    /** The same for searches by the ends of claims. */
    private final String bySendAt;

    PendingRows(JournalDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
        this.tables = database.tables();
        this.dialect = database.dialect();
        this.byKey = tables.outbox() + dialect.byIndex("PRIMARY");
        this.bySendAt = tables.outbox() + dialect.byIndex(tables.unqualified() + "outbox_send");
    }

    /** The database's time in µs. */
    long now() {
        return database.nowMicros();
    }

    /** Whether there is no row at all. */
    boolean isEmpty() {
        return jdbc.sql("SELECT changes FROM " + tables.outbox() + dialect.limit(1))
                .query(Integer.class)
                .list()
                .isEmpty();
    }

    /** Whether there are rows whose claim has ended, from a time on. */
    boolean hasEnded(long floorMicros) {
        return !jdbc.sql("SELECT send_at FROM " + bySendAt + " WHERE send_at >= ? AND send_at <= ? ORDER BY send_at"
                        + dialect.limit(1))
                .param(floorMicros)
                .param(now())
                .query(Long.class)
                .list()
                .isEmpty();
    }

    /** Those rows of the keys that have this claim. */
    List<PendingRow> find(Collection<OutboxKey> keys, long claim) {
        List<PendingRow> rows = new ArrayList<>(keys.size());
        for (Condition condition : conditions(keys)) {
            rows.addAll(jdbc.sql(COLUMNS + byKey + " WHERE " + condition.sql() + " AND claim = ?")
                    .params(condition.parameters())
                    .param(claim)
                    .query(this::row)
                    .list());
        }
        return rows;
    }

    /** Those rows of the keys that no other transaction has locked, locked by this one. */
    List<PendingRow> lock(Collection<OutboxKey> keys) {
        List<PendingRow> rows = new ArrayList<>(keys.size());
        for (Condition condition : conditions(keys)) {
            rows.addAll(jdbc.sql(COLUMNS + byKey + " WHERE " + condition.sql() + SKIP_LOCKED)
                    .params(condition.parameters())
                    .query(this::row)
                    .list());
        }
        return rows;
    }

    /** Those of the keys that have a row, locked or not. */
    List<OutboxKey> existing(Collection<OutboxKey> keys) {
        List<OutboxKey> existing = new ArrayList<>();
        for (Condition condition : conditions(keys)) {
            existing.addAll(jdbc
                    .sql(COLUMNS + byKey + " WHERE " + condition.sql())
                    .params(condition.parameters())
                    .query(this::row)
                    .list()
                    .stream()
                    .map(PendingRow::key)
                    .toList());
        }
        return existing;
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
        long now = now();
        String ended =
                COLUMNS + bySendAt + " WHERE send_at >= ? AND send_at <= ? ORDER BY send_at" + dialect.limit(limit);
        List<PendingRow> found = jdbc.sql(dialect.limitsUnlockedRows() ? ended + SKIP_LOCKED : ended)
                .param(floorMicros)
                .param(now)
                .query(this::row)
                .list();
        long reached = found.stream().mapToLong(PendingRow::sendAtMicros).max().orElse(floorMicros);
        List<PendingRow> rows = dialect.limitsUnlockedRows() ? found : lockEnded(found, now);
        String update = "UPDATE " + byKey + " SET claim = ?, send_at = ? WHERE ";
        for (Condition condition : conditions(rows.stream().map(PendingRow::key).toList())) {
            jdbc.sql(update + condition.sql())
                    .param(claim)
                    .param(now + claimMicros)
                    .params(condition.parameters())
                    .update();
        }
        return new Claimed(rows, reached, found.size() == limit && (!rows.isEmpty() || reached > floorMicros));
    }

    private List<PendingRow> lockEnded(List<PendingRow> found, long now) {
        return lock(found.stream().map(PendingRow::key).toList()).stream()
                .filter(row -> row.sendAtMicros() <= now)
                .toList();
    }

    /** Removes rows that this transaction has locked. */
    void delete(Collection<OutboxKey> keys) {
        for (Condition condition : conditions(keys)) {
            jdbc.sql(dialect.deleteByKey(tables.outbox()) + " WHERE " + condition.sql())
                    .params(condition.parameters())
                    .update();
        }
    }

    /** Removes the first changes of a row that this transaction has locked, and what was known of their failures. */
    void removeFirst(PendingRow row, int changes, String rest) {
        jdbc.sql("UPDATE " + byKey
                        + " SET operations = ?, changes = ?, failures = 0, error = NULL WHERE topic = ? AND id = ?")
                .params(
                        rest,
                        row.changes() - changes,
                        name(row.key().topic()),
                        name(row.key().id()))
                .update();
    }

    /** Keeps a row from being sent for a time. */
    void postpone(OutboxKey key, int failures, long micros, String error) {
        setFailure(key, failures, dialect.nowMicros() + " + ?", micros, error);
    }

    /** Keeps a row from being sent for good. */
    void block(OutboxKey key, int failures, String error) {
        setFailure(key, failures, "?", Long.MAX_VALUE, error);
    }

    private void setFailure(OutboxKey key, int failures, String sendAt, long micros, String error) {
        jdbc.sql("UPDATE " + byKey + " SET failures = ?, send_at = " + sendAt
                        + ", error = ? WHERE topic = ? AND id = ?")
                .params(failures, micros, error, name(key.topic()), name(key.id()))
                .update();
    }

    /** The longest ended claim; none if there is no row, or none but blocked ones. */
    List<Long> oldestEnded() {
        return jdbc.sql("SELECT send_at FROM " + bySendAt + " WHERE send_at < ? ORDER BY send_at" + dialect.limit(1))
                .param(Long.MAX_VALUE)
                .query(Long.class)
                .list();
    }

    /** Blocked ids, up to a limit. */
    List<BlockedId> blocked(int limit) {
        return jdbc.sql("SELECT topic, id, error, failures, trace FROM " + bySendAt + " WHERE send_at = ?"
                        + dialect.limit(limit))
                .param(Long.MAX_VALUE)
                .query((row, number) -> new BlockedId(
                        dialect.name(row, "topic"),
                        dialect.name(row, "id"),
                        String.valueOf(row.getString("error")),
                        row.getInt("failures"),
                        row.getString("trace")))
                .list();
    }

    /** Lets a blocked row be sent at once; false if it is not blocked. */
    boolean unblock(OutboxKey key) {
        return jdbc.sql(
                                "UPDATE " + byKey
                                        + " SET failures = 0, error = NULL, send_at = ? WHERE topic = ? AND id = ? AND send_at = ?")
                        .params(now(), name(key.topic()), name(key.id()), Long.MAX_VALUE)
                        .update()
                > 0;
    }

    private List<Condition> conditions(Collection<OutboxKey> keys) {
        return keys.stream()
                .sorted()
                .collect(Collectors.groupingBy(
                        OutboxKey::topic, TreeMap::new, Collectors.mapping(OutboxKey::id, Collectors.toList())))
                .entrySet()
                .stream()
                .flatMap(topic -> dialect.byIds(topic.getKey(), topic.getValue()).stream())
                .toList();
    }

    private Object name(String name) {
        return dialect.name(name);
    }

    private PendingRow row(ResultSet row, int number) throws SQLException {
        return new PendingRow(
                new OutboxKey(dialect.name(row, "topic"), dialect.name(row, "id")),
                row.getString("operations"),
                row.getInt("changes"),
                row.getInt("failures"),
                row.getLong("send_at"));
    }
}
