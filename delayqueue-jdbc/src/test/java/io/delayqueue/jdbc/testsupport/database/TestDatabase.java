package io.delayqueue.jdbc.testsupport.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.jdbc.schema.JournalSchemaInitializer;
import io.delayqueue.jdbc.support.JournalTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A database of one test's own: empty at first, dropped behind the test, with all pools that the test opened on it. */
public final class TestDatabase implements AutoCloseable {

    private final DatabaseKind kind;
    private final DatabaseServer server;
    private final String url;
    private final Runnable drop;
    private final List<HikariDataSource> pools = new ArrayList<>();

    TestDatabase(DatabaseKind kind, DatabaseServer server, String url, Runnable drop) {
        this.kind = kind;
        this.server = server;
        this.url = url;
        this.drop = drop;
    }

    public DatabaseKind kind() {
        return kind;
    }

    /** The JDBC URL, user and password included. */
    public String url() {
        return url;
    }

    /** A pool of ten connections. */
    public DataSource dataSource() {
        return dataSource(config -> {});
    }

    /** A pool with settings of its own. */
    public DataSource dataSource(Consumer<HikariConfig> settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(10);
        config.setMinimumIdle(0);
        settings.accept(config);
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        return pool;
    }

    /**
     * A pool whose transactions can't change rows that others changed since their snapshot, if the isolation says so: MariaDB's do by
     * default from 11.6 on.
     */
    public DataSource dataSourceWithConflicts(Consumer<HikariConfig> settings) {
        return dataSource(config -> {
            if (kind == DatabaseKind.MARIADB) {
                config.setConnectionInitSql("SET SESSION innodb_snapshot_isolation = ON");
            }
            settings.accept(config);
        });
    }

    /** Whether a transaction of this database waits for a lock of another one; H2 does not tell. */
    public boolean isSomebodyWaiting() {
        String waiting = kind == DatabaseKind.POSTGRESQL
                ? "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND wait_event_type = 'Lock'"
                : "SELECT COUNT(*) FROM information_schema.INNODB_TRX t JOIN information_schema.PROCESSLIST p"
                        + " ON p.ID = t.trx_mysql_thread_id"
                        + " WHERE p.DB = DATABASE() AND t.trx_state = 'LOCK WAIT'";
        return JdbcClient.create(new DriverManagerDataSource(url))
                        .sql(waiting)
                        .query(Long.class)
                        .single()
                > 0;
    }

    /**
     * Stops the server, with the databases of other tests, until {@link #restartServer()}.
     *
     * @return whether it did: servers that the environment names are left alone, as are those that can't be stopped
     */
    public boolean stopServer() throws Exception {
        return server.stop();
    }

    /** Starts the server again that was stopped. */
    public void restartServer() throws Exception {
        server.restart();
    }

    /** The main process of its server; empty for servers that the environment names, and for one in this JVM. */
    public Optional<ProcessHandle> mainProcess() throws Exception {
        return server.mainProcess();
    }

    /** Creates the journal's tables. */
    public TestDatabase withSchema() {
        return withSchema(JournalTables.DEFAULT_PREFIX);
    }

    /** Creates the journal's tables under a prefix. */
    public TestDatabase withSchema(String prefix) {
        initializer(dataSource(), prefix).initializeDatabase();
        return this;
    }

    /** The initializer that the auto-configuration runs at the start of an application. */
    public static JournalSchemaInitializer initializer(DataSource dataSource, String prefix) {
        return new JournalSchemaInitializer(
                dataSource,
                JournalSchemaInitializer.DEFAULT_LOCATION,
                "",
                DatabaseInitializationMode.ALWAYS,
                new JournalTables(prefix));
    }

    @Override
    public void close() {
        pools.forEach(HikariDataSource::close);
        drop.run();
    }

    @Override
    public String toString() {
        return kind.toString();
    }
}
