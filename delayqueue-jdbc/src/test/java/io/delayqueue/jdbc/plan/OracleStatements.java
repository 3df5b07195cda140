package io.delayqueue.jdbc.plan;

import io.delayqueue.jdbc.dialect.Dialect;
import java.sql.Connection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** Records the statements of the journal's code for Oracle, and has H2 run what it understands instead. */
final class OracleStatements implements StatementWatcher {

    /** H2 has to know the types of parameters that are selected. */
    private static final Pattern BINARY = Pattern.compile("\\? AS payload\\b");

    private static final Pattern TEXT = Pattern.compile("\\? AS (\\w+)");

    private final SortedSet<String> recorded = Collections.synchronizedSortedSet(new TreeSet<>());
    private final DataSource dataSource;
    private final String now;

    OracleStatements(DataSource h2) {
        this.dataSource = new WatchedDataSource(h2, this, "Oracle");
        this.now = Dialect.of(dataSource).nowMicros();
    }

    /** Of an Oracle database, as far as the journal knows. */
    DataSource dataSource() {
        return dataSource;
    }

    /** Each statement once, with NOW for the expression of the time. */
    SortedSet<String> recorded() {
        return recorded;
    }

    @Override
    public void before(Connection connection, String sql, Parameters parameters) {
        if (sql.contains("delayqueue_")) {
            recorded.add(Statements.anyNumberOfKeys(sql.replace(now, "NOW")));
        }
    }

    @Override
    public String translate(String sql) {
        String translated = sql.replace(now, "(DELAYQUEUE_NOW() * 1000)");
        translated = BINARY.matcher(translated).replaceAll("CAST(? AS BINARY LARGE OBJECT) AS payload");
        return TEXT.matcher(translated).replaceAll("CAST(? AS VARCHAR) AS $1");
    }
}
