package io.delayqueue.jdbc.plan;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.regex.Pattern;

/** MariaDB and MySQL: explains each statement first, and counts the rows that it reads then. */
final class MySqlPlans extends PlanCheck {

    /** All rows, or all of an index. */
    private static final Set<String> WHOLE_TABLE = Set.of("ALL", "index");

    /** Beginnings and ends of statements that lock the rows that they read. */
    private static final Pattern LOCKS = Pattern.compile("^(UPDATE|DELETE)|FOR UPDATE");

    private final ThreadLocal<Long> readBefore = new ThreadLocal<>();

    @Override
    void check(Connection connection, String sql, Parameters parameters) throws SQLException {
        if (!sql.startsWith("INSERT")) {
            explain(connection, sql, parameters);
        }
        long first = read(connection);
        long second = read(connection);
        // the look itself reads rows, too
        readBefore.set(second + (second - first));
    }

    private void explain(Connection connection, String sql, Parameters parameters) throws SQLException {
        try (PreparedStatement explain = connection.prepareStatement("EXPLAIN " + sql)) {
            parameters.setFor(explain);
            try (ResultSet step = explain.executeQuery()) {
                while (step.next()) {
                    String type = step.getString("type");
                    String table = String.valueOf(step.getString("table"));
                    // "<derived2>" has the rows that a step before has found
                    if (type != null && WHOLE_TABLE.contains(type) && !table.startsWith("<")) {
                        problem(sql, "scans " + table + " (" + type + ")");
                    }
                    if (LOCKS.matcher(sql).find()
                            && "PRIMARY".equals(step.getString("key"))
                            && "const".equals(step.getString("ref"))
                            && "ref".equals(type)) {
                        problem(sql, "locks all rows of a topic in " + table);
                    }
                }
            }
        }
    }

    @Override
    void afterChecked(Connection connection, String sql) throws SQLException {
        long read = read(connection) - readBefore.get();
        if (read > MOST_READ) {
            problem(sql, read + " rows read");
        }
    }

    private static long read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet counters = statement.executeQuery("SHOW SESSION STATUS LIKE 'Handler_read%'")) {
            long read = 0;
            while (counters.next()) {
                read += counters.getLong(2);
            }
            return read;
        }
    }
}
