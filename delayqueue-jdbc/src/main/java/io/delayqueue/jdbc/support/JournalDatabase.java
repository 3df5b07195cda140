package io.delayqueue.jdbc.support;

import io.delayqueue.jdbc.dialect.Dialect;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The database that has the journal.
 *
 * @param dataSource connections
 * @param tables names of the tables
 * @param dialect its SQL
 */
public record JournalDatabase(DataSource dataSource, JournalTables tables, Dialect dialect) {

    /** The database behind a DataSource, whose kind is asked for. */
    public JournalDatabase(DataSource dataSource, JournalTables tables) {
        this(dataSource, tables, Dialect.of(dataSource));
    }

    /** Statements in the transaction of the caller's thread, or each in its own. */
    public JdbcClient jdbc() {
        return JdbcClient.create(dataSource);
    }

    /**
     * The database's time in µs since the epoch, asked for as {@link #jdbc()} asks.
     *
     * @throws DataAccessException if the database fails
     */
    public long nowMicros() {
        // Oracle wants a table
        return jdbc().sql("SELECT " + dialect.nowMicros() + " FROM " + tables.schema())
                .query(Long.class)
                .list()
                .get(0);
    }
}
