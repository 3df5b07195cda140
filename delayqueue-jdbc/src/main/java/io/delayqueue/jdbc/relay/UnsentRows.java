package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.dialect.Condition;
import io.delayqueue.jdbc.dialect.Deletion;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reads, changes and removes rows of the outbox. Every call belongs to a transaction of the caller. */
final class UnsentRows {

    static final String COLUMNS = "SELECT topic, id, operations, changes, failures, send_at FROM ";

    static final String SKIP_LOCKED = " FOR UPDATE SKIP LOCKED";

    /** {@code send_at} of rows that are not sent until somebody unblocks them. */
    static final long BLOCKED = Long.MAX_VALUE;

    /** Rows at each end of the index among which the oldest is looked for. */
    private static final int MOST_OLDEST = 100;

    private final JournalDatabase database;
    private final JdbcClient jdbc;
    private final JournalTables tables;
    private final Dialect dialect;

    /** Table and index, as statements that search by keys name them. */
    private final String byKey;

    /** The same for searches by the time at which rows are free. */
    private final String bySendAt;

    UnsentRows(JournalDatabase database) {
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

    /** Those rows of the keys of this sender. */
    List<UnsentRow> find(Collection<MessageId> keys, long sender) {
        List<UnsentRow> rows = new ArrayList<>(keys.size());
        for (Condition condition : conditions(keys)) {
            rows.addAll(jdbc.sql(COLUMNS + byKey + " WHERE " + condition.sql() + " AND sender = ?")
                    .params(condition.parameters())
                    .param(sender)
                    .query(this::row)
                    .list());
        }
        return rows;
    }

    /** Those rows of the keys that no other transaction has locked, locked by this one. */
    List<UnsentRow> lock(Collection<MessageId> keys) {
        return lock(keys, SKIP_LOCKED);
    }

    /** The same after waiting for other transactions, if the database can limit that. */
    List<UnsentRow> lockAfterOthers(Collection<MessageId> keys) {
        return lock(keys, dialect.forUpdateAfterOthers());
    }

    private List<UnsentRow> lock(Collection<MessageId> keys, String lock) {
        List<UnsentRow> rows = new ArrayList<>(keys.size());
        for (Condition condition : conditions(keys)) {
            rows.addAll(jdbc.sql(COLUMNS + byKey + " WHERE " + condition.sql() + lock)
                    .params(condition.parameters())
                    .query(this::row)
                    .list());
        }
        return rows;
    }

    /** Those rows of the keys that there are, locked or not. */
    List<UnsentRow> existing(Collection<MessageId> keys) {
        List<UnsentRow> existing = new ArrayList<>();
        for (Condition condition : conditions(keys)) {
            existing.addAll(jdbc.sql(COLUMNS + byKey + " WHERE " + condition.sql())
                    .params(condition.parameters())
                    .query(this::row)
                    .list());
        }
        return existing;
    }

    /** Removes rows that this transaction has locked. */
    void delete(Collection<MessageId> keys) {
        List<Deletion> deletions = byTopic(keys, (topic, ids) -> dialect.deleteByIds(tables.outbox(), topic, ids));
        for (Deletion deletion : deletions) {
            jdbc.sql(deletion.sql()).params(deletion.parameters()).update();
        }
    }

    /** Removes the first changes of a row that this transaction has locked, and what was known of their failures. */
    void removeFirst(UnsentRow row, int changes, String rest) {
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
    void postpone(MessageId key, int failures, long micros, String error) {
        setFailure(key, failures, dialect.nowMicros() + " + ?", micros, error);
    }

    /** Keeps a row from being sent for good. */
    void block(MessageId key, int failures, String error) {
        setFailure(key, failures, "?", BLOCKED, error);
    }

    private void setFailure(MessageId key, int failures, String sendAt, long micros, String error) {
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
                        .param(BLOCKED)
                        .query(Long.class)
                        .list()
                        .stream())
                .mapToLong(Long::longValue)
                .min();
    }

    /** Conditions that together find the rows of keys. */
    List<Condition> conditions(Collection<MessageId> keys) {
        return byTopic(keys, dialect::byIds);
    }

    private static <T> List<T> byTopic(
            Collection<MessageId> keys, BiFunction<String, List<String>, List<T>> statements) {
        return keys.stream()
                .sorted()
                .collect(Collectors.groupingBy(
                        MessageId::topic, TreeMap::new, Collectors.mapping(MessageId::id, Collectors.toList())))
                .entrySet()
                .stream()
                .flatMap(topic -> statements.apply(topic.getKey(), topic.getValue()).stream())
                .toList();
    }

    private Object name(String name) {
        return dialect.name(name);
    }

    UnsentRow row(ResultSet row, int number) throws SQLException {
        return new UnsentRow(
                new MessageId(dialect.name(row, "topic"), dialect.name(row, "id")),
                row.getString("operations"),
                row.getInt("changes"),
                row.getInt("failures"),
                row.getLong("send_at"));
    }
}
