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
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reads, changes and removes rows of the outbox. Every call belongs to a transaction of the caller. */
final class PendingRows {

    static final String COLUMNS = "SELECT topic, id, operations, changes, failures, send_at FROM ";

    static final String SKIP_LOCKED = " FOR UPDATE SKIP LOCKED";

    /** Rows at each end of the index among which the oldest is looked for. */
    private static final int MOST_OLDEST = 100;

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

    /**
     * When the first change of the row was written that has waited longest; none if there is no row, or none but blocked ones. Each attempt
     * moves a row back in the order of sending, so it is looked for among those that are next and those that are last.
     */
    OptionalLong oldestCreated() {
        return Stream.of("", " DESC")
                .flatMap(order -> jdbc
                        .sql("SELECT created FROM " + bySendAt + " WHERE send_at < ? ORDER BY send_at" + order
                                + dialect.limit(MOST_OLDEST))
                        .param(Long.MAX_VALUE)
                        .query(Long.class)
                        .list()
                        .stream())
                .mapToLong(Long::longValue)
                .min();
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

    /** Conditions that together find the rows of keys. */
    List<Condition> conditions(Collection<OutboxKey> keys) {
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

    PendingRow row(ResultSet row, int number) throws SQLException {
        return new PendingRow(
                new OutboxKey(dialect.name(row, "topic"), dialect.name(row, "id")),
                row.getString("operations"),
                row.getInt("changes"),
                row.getInt("failures"),
                row.getLong("send_at"));
    }
}
