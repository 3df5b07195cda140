package io.delayqueue.jdbc.support;

import io.delayqueue.jdbc.dialect.Condition;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * An UPDATE of rows that {@link Condition}s find, which leaves out no row that another transaction changes meanwhile. PostgreSQL leaves
 * such a row out: its new version is not the one that the condition has found. The row is locked then, so that the same statement finds
 * it the second time.
 */
public final class RowUpdate {

    private final JdbcClient jdbc;
    private final String sql;

    /**
     * An UPDATE that may be made twice.
     *
     * @param sql the statement up to the condition; it leaves out rows that it has changed already
     */
    public RowUpdate(JdbcClient jdbc, String sql) {
        this.jdbc = jdbc;
        this.sql = sql;
    }

    /**
     * Changes rows in the present transaction.
     *
     * @param values parameters before the condition's
     * @param rows number of rows that the conditions may find
     * @return the number of rows that were changed
     */
    public int of(List<Object> values, List<Condition> conditions, int rows) {
        int updated = update(values, conditions);
        return updated < rows ? updated + update(values, conditions) : updated;
    }

    private int update(List<Object> values, List<Condition> conditions) {
        int updated = 0;
        for (Condition condition : conditions) {
            updated += jdbc.sql(sql + condition.sql())
                    .params(values)
                    .params(condition.parameters())
                    .update();
        }
        return updated;
    }
}
