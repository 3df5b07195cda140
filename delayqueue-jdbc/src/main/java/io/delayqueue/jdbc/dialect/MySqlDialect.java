package io.delayqueue.jdbc.dialect;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcOperations;

/** MySQL 8 and later. Names are kept as bytes, since its text types ignore trailing blanks or know no comparison by byte. */
class MySqlDialect implements Dialect {

    private static final int LOCK_WAIT_TIMEOUT = 1205;

    private static final Set<Integer> DEADLOCK = Set.of(1213);

    /** Keys in a statement: the range optimizer's work grows with the square of their number. */
    private static final int MOST_KEYS = 100;

    @Override
    public String platform() {
        return "mysql";
    }

    /** UNIX_TIMESTAMP would go through the session's time zone, and repeat an hour each autumn. */
    @Override
    public String nowMicros() {
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
    }

    @Override
    public Object name(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String name(ResultSet row, String column) throws SQLException {
        return new String(row.getBytes(column), StandardCharsets.UTF_8);
    }

    /** It has no limit of a statement for that. */
    @Override
    public String forUpdateAfterOthers() {
        return " FOR UPDATE SKIP LOCKED";
    }

    @Override
    public RowInserter inserter(RowInsert insert) {
        return new MultiRowInserter(insert, this);
    }

    @Override
    public List<Condition> byIds(String topic, List<String> ids) {
        List<Condition> conditions = new ArrayList<>();
        for (List<String> some : parts(ids)) {
            List<Object> parameters = new ArrayList<>();
            parameters.add(name(topic));
            some.forEach(id -> parameters.add(name(id)));
            String marks = String.join(", ", Collections.nCopies(some.size(), "?"));
            conditions.add(new Condition("topic = ? AND id IN (" + marks + ")", parameters));
        }
        return conditions;
    }

    private static List<List<String>> parts(List<String> ids) {
        List<List<String>> parts = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += MOST_KEYS) {
            parts.add(ids.subList(from, Math.min(from + MOST_KEYS, ids.size())));
        }
        return parts;
    }

    /**
     * A DELETE with a condition may read and lock all rows of the topic if most of them are to go. It waits for those that others have
     * locked. MariaDB does so in spite of an index hint, and MySQL takes none for a DELETE of one table.
     */
    @Override
    public List<Deletion> deleteByIds(String table, String topic, List<String> ids) {
        List<Deletion> deletions = new ArrayList<>();
        for (List<String> some : parts(ids)) {
            List<Object> parameters = new ArrayList<>();
            some.forEach(id -> parameters.add(name(id)));
            parameters.add(name(topic));
            String keys = "SELECT ? AS id" + " UNION ALL SELECT ?".repeat(some.size() - 1);
            deletions.add(new Deletion(
                    "DELETE r FROM (" + keys + ") AS k STRAIGHT_JOIN " + table + " AS r" + byIndex("PRIMARY")
                            + " ON r.topic = ? AND r.id = k.id",
                    parameters));
        }
        return deletions;
    }

    /** MariaDB would search all generations of all ids if they were given as two lists, or all rows of the topic if as pairs. */
    @Override
    public List<Condition> byGenerations(String table, String topic, List<String> ids, List<String> generations) {
        List<Condition> conditions = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += MOST_KEYS) {
            int to = Math.min(from + MOST_KEYS, ids.size());
            List<Object> parameters = new ArrayList<>();
            parameters.add(name(topic));
            for (int i = from; i < to; i++) {
                parameters.add(name(ids.get(i)));
                parameters.add(generations.get(i));
            }
            String keys = String.join(" OR ", Collections.nCopies(to - from, "id = ? AND generation = ?"));
            conditions.add(new Condition("topic = ? AND (" + keys + ")", parameters));
        }
        return conditions;
    }

    /** It would scan a small table instead, lock all its rows, and wait for those that others have locked. */
    @Override
    public String byIndex(String index) {
        return " FORCE INDEX (" + index + ")";
    }

    /** A duplicate key would do no harm, but MariaDB's driver logs a warning of each. */
    @Override
    public String insertIfAbsent(String row) {
        return "INSERT IGNORE " + row;
    }

    /**
     * Found without locks first: a DELETE with a limit may scan a small table, and wait for rows of others. A row that has another age by
     * then, such as that of a dead letter which was redriven, stays.
     */
    @Override
    public String delete(RowDelete rows, int most) {
        String keys = String.join(
                ", ", rows.key().stream().map(column -> "r." + column).toList());
        String same = String.join(
                " AND ",
                rows.key().stream()
                        .map(column -> "d." + column + " = k." + column)
                        .toList());
        return "DELETE d FROM (SELECT " + keys + ", r." + rows.age() + " AS age FROM " + rows.table() + " AS r"
                + byIndex(rows.index()) + " WHERE "
                + rows.condition() + " ORDER BY r." + rows.age() + limit(most) + ") AS k STRAIGHT_JOIN " + rows.table()
                + " AS d" + byIndex("PRIMARY") + " ON " + same + " AND d." + rows.age() + " = k.age";
    }

    /** The driver would ask the server for the isolation, set it, and set it back. */
    @Override
    public Optional<String> transactionSettings() {
        return Optional.of("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }

    /**
     * 50 s by default: others wait behind the thread that waits. A pool that has given the session a shorter limit keeps it. To MySQL the
     * lesser of two whole numbers is a decimal one, which it takes for no limit.
     */
    @Override
    public <T> T limitingWaits(JdbcOperations jdbc, Supplier<T> work) {
        jdbc.execute("SET @delayqueue_lock_wait = @@innodb_lock_wait_timeout,"
                + " SESSION innodb_lock_wait_timeout = CAST(LEAST(@@innodb_lock_wait_timeout, 5) AS UNSIGNED)");
        try {
            return work.get();
        } finally {
            jdbc.execute("SET SESSION innodb_lock_wait_timeout = @delayqueue_lock_wait");
        }
    }

    /** MariaDB does not wait then, MySQL waits for a second. The session belongs to the pool, which may have given it another limit. */
    @Override
    public <T> T impatiently(JdbcOperations jdbc, Supplier<T> work) {
        Long before = jdbc.queryForObject("SELECT @@innodb_lock_wait_timeout", Long.class);
        jdbc.execute("SET SESSION innodb_lock_wait_timeout = 0");
        try {
            return work.get();
        } finally {
            jdbc.execute("SET SESSION innodb_lock_wait_timeout = " + before);
        }
    }

    @Override
    public boolean isHeld(DataAccessException failure) {
        return SqlErrors.hasCode(failure, LOCK_WAIT_TIMEOUT);
    }

    /** MariaDB's driver logs a warning of each statement that met a lock. */
    @Override
    public Optional<String> uncommittedSettings() {
        return Optional.of("SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
    }

    /**
     * Not one that waited for a lock long enough: it has to give its connection back, and to pause. MySQL's driver tells that one as a
     * transaction that was rolled back, too.
     */
    @Override
    public boolean isRepeatable(DataAccessException failure) {
        return !isHeld(failure) && SqlErrors.isConflict(failure, DEADLOCK);
    }
}
