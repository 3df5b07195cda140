package io.delayqueue.jdbc.plan;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Asks a database how it runs each of the journal's statements, and how many rows it reads for it: in the transaction and with the
 * parameters of the code. All tables but that of the version have many rows.
 */
abstract class PlanCheck implements StatementWatcher {

    /** Rows that a statement may read: some for each key of a batch. A table has many times as many. */
    static final int MOST_READ = 2_000;

    /** Drivers and servers plan a statement anew, or for any parameters, after its first uses. */
    private static final int CHECKS_OF_EACH = 8;

    /** Reads the first row that comes. */
    private static final Pattern ANY_ROW = Pattern.compile("SELECT \\w+ FROM \\w+ LIMIT 1");

    private final Set<String> ran = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> checked = Collections.synchronizedMap(new LinkedHashMap<>());
    private final Set<String> problems = Collections.synchronizedSet(new LinkedHashSet<>());
    private volatile boolean on = true;

    /** Explains a statement that is about to run, and reports what is wrong with its plan. */
    abstract void check(Connection connection, String sql, Parameters parameters) throws SQLException;

    /** Reads of the statement that ran. */
    void afterChecked(Connection connection, String sql) throws SQLException {}

    /** Each statement, also those that are not checked. */
    final Set<String> ran() {
        return ran;
    }

    /** Statements with their number of checks, whatever their number of keys. */
    final Map<String, Integer> checked() {
        return checked;
    }

    /** One line each. */
    final Set<String> problems() {
        return problems;
    }

    final void stop() {
        on = false;
    }

    final void problem(String sql, String problem) {
        problems.add(problem + ": " + Statements.anyNumberOfKeys(sql));
    }

    @Override
    public final void before(Connection connection, String sql, Parameters parameters) throws SQLException {
        ran.add(sql);
        if (isCheckable(sql) && checked.merge(Statements.anyNumberOfKeys(sql), 1, Integer::sum) <= CHECKS_OF_EACH) {
            try {
                check(connection, sql, parameters);
            } catch (SQLException e) {
                problem(sql, "can't be explained: " + e.getMessage());
            }
        }
    }

    @Override
    public final void after(Connection connection, String sql) throws SQLException {
        if (isCheckable(sql) && checked.getOrDefault(Statements.anyNumberOfKeys(sql), 0) <= CHECKS_OF_EACH) {
            afterChecked(connection, sql);
        }
    }

    private boolean isCheckable(String sql) {
        return on
                && sql.contains("delayqueue_")
                && !sql.contains("delayqueue_schema")
                && !ANY_ROW.matcher(sql).matches();
    }
}
