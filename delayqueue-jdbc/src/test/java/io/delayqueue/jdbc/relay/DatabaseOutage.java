package io.delayqueue.jdbc.relay;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A pool of connections to a test's database that an administrator ends, or lets only read. */
final class DatabaseOutage implements AutoCloseable {

    private final TestDatabase database;
    private final String name;
    private final HikariDataSource pool;
    private volatile boolean away;
    private volatile boolean readOnly;

    DatabaseOutage(TestDatabase database) {
        this.database = database;
        this.name = database.url().replaceAll(".*/([^?]+).*", "$1");
        database.withSchema();
        this.pool = (HikariDataSource) database.dataSource(config -> {
            config.setJdbcUrl(null);
            config.setDataSource(new Reachable(database.url()));
            config.setConnectionTimeout(1_000);
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
            Connection connection = super.getConnectionFromDriver(properties);
            if (readOnly) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SET SESSION TRANSACTION READ ONLY");
                }
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
        } else {
            // a setting of the server would hit other tests there
            this.readOnly = readOnly;
        }
        pool.getHikariPoolMXBean().softEvictConnections();
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
    }
}
