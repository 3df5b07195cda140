package io.delayqueue.jdbc.testsupport.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;

/**
 * The database servers of this JVM, each started at its first use and stopped behind the last test.
 *
 * <p>{@code DELAYQUEUE_TEST_POSTGRESQL}, {@code DELAYQUEUE_TEST_MARIADB} and {@code DELAYQUEUE_TEST_MYSQL} name other servers by
 * their JDBC URLs, user and password included, whose users may create databases. {@code DELAYQUEUE_REQUIRED_DATABASES} lists those,
 * such as {@code postgresql,mariadb}, whose absence fails the tests.
 */
final class DatabaseServers implements AutoCloseable {

    private static final Namespace NAMESPACE = Namespace.create(DatabaseServers.class);

    private static final String REQUIRED = "DELAYQUEUE_REQUIRED_DATABASES";

    private final Map<DatabaseKind, Optional<DatabaseServer>> servers = new EnumMap<>(DatabaseKind.class);
    private final Map<String, String> environment;
    private final Start embedded;

    /** Of this JVM: several may share a server that the environment names, on which killed ones left databases. */
    private final String prefix =
            "journal_" + Long.toString(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE), 36) + "_";

    private final AtomicInteger databases = new AtomicInteger();

    /** Starts the server that an artifact brings along. */
    interface Start {
        DatabaseServer start(DatabaseKind kind) throws Exception;
    }

    DatabaseServers(Map<String, String> environment) {
        this(environment, DatabaseServers::startEmbedded);
    }

    DatabaseServers(Map<String, String> environment, Start embedded) {
        this.environment = environment;
        this.embedded = embedded;
    }

    private static DatabaseServer startEmbedded(DatabaseKind kind) throws Exception {
        return switch (kind) {
            case H2 -> new DatabaseServer.H2();
            case POSTGRESQL -> EmbeddedPostgreSql.start();
            case MARIADB -> EmbeddedMariaDb.start();
            case MYSQL -> EmbeddedMySql.start();
        };
    }

    static DatabaseServers of(ExtensionContext context) {
        // one for all classes: some runners start each class by itself
        return context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
                .computeIfAbsent(
                        DatabaseServers.class, type -> new DatabaseServers(System.getenv()), DatabaseServers.class);
    }

    boolean isAvailable(DatabaseKind kind) {
        return server(kind).isPresent();
    }

    private Optional<DatabaseServer> server(DatabaseKind kind) {
        return servers.computeIfAbsent(kind, this::start);
    }

    /** Prints why a server does not run, once: its tests are left out. */
    private Optional<DatabaseServer> start(DatabaseKind kind) {
        try {
            String url = environment.get(kind.variable());
            if (url != null) {
                return Optional.of(new DatabaseServer.Named(url));
            }
            if (kind == DatabaseKind.MYSQL && !EmbeddedMySql.isPresent()) {
                return notNamed(kind);
            }
            return Optional.of(embedded.start(kind));
        } catch (Exception | LinkageError e) {
            if (isRequired(kind)) {
                throw new IllegalStateException(kind + ", which " + REQUIRED + " requires, does not start", e);
            }
            System.out.println("NOT TESTED ON " + kind + ", which does not start here: " + e);
            return Optional.empty();
        }
    }

    private boolean isRequired(DatabaseKind kind) {
        String required = environment.getOrDefault(REQUIRED, "").toLowerCase(Locale.ROOT);
        return List.of(required.split(",")).contains(kind.platform());
    }

    private Optional<DatabaseServer> notNamed(DatabaseKind kind) {
        if (isRequired(kind)) {
            throw new IllegalStateException(REQUIRED + " requires " + kind + ", but neither is " + kind.variable()
                    + " set, nor has the build the profile mysql");
        }
        System.out.println("NOT TESTED ON " + kind + ": the profile mysql brings one along, and " + kind.variable()
                + " may name another by its JDBC URL");
        return Optional.empty();
    }

    TestDatabase newDatabase(DatabaseKind kind) {
        DatabaseServer server = server(kind).orElseThrow();
        String name = prefix + databases.incrementAndGet();
        if (server instanceof DatabaseServer.H2) {
            String url = server.url(name);
            return new TestDatabase(kind, server, url, () -> execute(url, "SHUTDOWN"));
        }
        execute(server.adminUrl(), "CREATE DATABASE " + name);
        return new TestDatabase(
                kind, server, server.url(name), () -> execute(server.adminUrl(), "DROP DATABASE " + name));
    }

    private static void execute(String url, String sql) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    @Override
    public void close() throws Exception {
        for (Optional<DatabaseServer> server : servers.values()) {
            if (server.isPresent()) {
                server.get().close();
            }
        }
    }
}
