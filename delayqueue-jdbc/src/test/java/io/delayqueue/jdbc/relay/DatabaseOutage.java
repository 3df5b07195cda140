package io.delayqueue.jdbc.relay;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A pool of connections to a test's database that an administrator ends, or whose writes are refused. */
final class DatabaseOutage implements AutoCloseable {

    private static final List<String> TABLES = List.of("message", "outbox", "event", "inbox", "partition", "lease");

    private final TestDatabase database;
    private final String name;
    private final HikariDataSource pool;
    private volatile boolean away;

    /** Number of changes of settings that connections have from their beginning. */
    private final AtomicInteger setting = new AtomicInteger();

    DatabaseOutage(TestDatabase database) {
        this.database = database;
        this.name = database.url().replaceAll(".*/([^?]+).*", "$1");
        database.withSchema();
        this.pool = (HikariDataSource) database.dataSource(config -> {
            config.setJdbcUrl(null);
            config.setDataSource(new Reachable(database.url()));
            // longer than a busy machine needs for a connection
            config.setConnectionTimeout(5_000);
        });
    }

    /** The server under test of MariaDB knows no users that could be locked out: new connections are refused on the way to it. */
    private final class Reachable extends DriverManagerDataSource {

        Reachable(String url) {
            super(url);
        }

        @Override
        protected Connection getConnectionFromDriver(Properties properties) throws SQLException {
            if (away) {
                throw new SQLNonTransientConnectionException("refused", "08001");
            }
            int before = setting.get();
            Connection connection = super.getConnectionFromDriver(properties);
            if (away || before != setting.get()) {
                connection.close();
                throw new SQLNonTransientConnectionException("another setting than the database has now", "08001");
            }
            return connection;
        }
    }

    HikariDataSource dataSource() {
        return pool;
    }

    /** Ends all connections, and takes no others. */
    void takeAway() {
        away = true;
        try {
            administer(
                    isPostgres()
                            ? List.of("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name
                                    + "'")
                            : kills());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void bringBack() {
        away = false;
    }

    /** As after a failover to a server that is a replica still. */
    void setReadOnly(boolean readOnly) throws SQLException {
        if (isPostgres()) {
            administer(List.of(
                    "ALTER DATABASE " + name + " SET default_transaction_read_only = " + (readOnly ? "on" : "off")));
            setting.incrementAndGet();
            pool.getHikariPoolMXBean().softEvictConnections();
        } else {
            // the setting would hit other tests on the server, and none of its users, who may all write in spite of it
            refuseWrites(
                    readOnly,
                    "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1290, MESSAGE_TEXT ="
                            + " 'The MariaDB server is running with the --read-only option'");
        }
    }

    /** Each transaction that writes is the victim of a deadlock. */
    void setDeadlocking(boolean deadlocking) throws SQLException {
        refuseWrites(
                deadlocking,
                isPostgres()
                        ? "EXECUTE FUNCTION deadlock()"
                        : "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'Deadlock found'");
    }

    private void refuseWrites(boolean refused, String refusal) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database.url());
                Statement statement = connection.createStatement()) {
            if (isPostgres()) {
                statement.execute("CREATE OR REPLACE FUNCTION deadlock() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END $$");
            }
            for (String table : TABLES) {
                for (String write : List.of("INSERT", "UPDATE", "DELETE")) {
                    String trigger = "no_" + write + "_" + table;
                    statement.execute(
                            refused
                                    ? "CREATE TRIGGER " + trigger + " BEFORE " + write + " ON delayqueue_" + table
                                            + " FOR EACH ROW " + refusal
                                    : "DROP TRIGGER IF EXISTS " + trigger
                                            + (isPostgres() ? " ON delayqueue_" + table : ""));
                }
            }
        }
    }

    private boolean isPostgres() {
        return database.kind() == DatabaseKind.POSTGRESQL;
    }

    private List<String> kills() throws SQLException {
        List<String> kills = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(database.url());
                Statement statement = connection.createStatement();
                ResultSet ids = statement.executeQuery("SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '"
                        + name + "' AND ID <> CONNECTION_ID()")) {
            while (ids.next()) {
                kills.add("KILL CONNECTION " + ids.getLong(1));
            }
        }
        return kills;
    }

    private void administer(List<String> statements) throws SQLException {
        String url = isPostgres() ? database.url().replaceAll("/[^/?]+(\\?|$)", "/postgres$1") : database.url();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Override
    public void close() throws SQLException {
        away = false;
        setReadOnly(false);
        setDeadlocking(false);
    }
}
