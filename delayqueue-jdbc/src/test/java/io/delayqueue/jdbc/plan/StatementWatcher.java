package io.delayqueue.jdbc.plan;

import java.sql.Connection;
import java.sql.SQLException;

/** Sees each statement of a {@link WatchedDataSource} right before it runs and behind it, in its transaction. */
interface StatementWatcher {

    /** May run statements of its own on the connection, which are not watched. */
    void before(Connection connection, String sql, Parameters parameters) throws SQLException;

    /** Is not called for statements that failed. */
    default void after(Connection connection, String sql) throws SQLException {}

    /** The statement to run in place of one that the code asks for. */
    default String translate(String sql) {
        return sql;
    }
}
