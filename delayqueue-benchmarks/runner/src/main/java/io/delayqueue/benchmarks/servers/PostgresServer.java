package io.delayqueue.benchmarks.servers;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** A PostgreSQL with default settings, except the number of connections. Under root it runs in a user namespace. */
final class PostgresServer implements Server {

    private final EmbeddedPostgres postgres;
    private final ProcessHandle process;

    private PostgresServer(EmbeddedPostgres postgres, ProcessHandle process) {
        this.postgres = postgres;
        this.process = process;
    }

    static PostgresServer start() throws IOException {
        EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                .setServerConfig("max_connections", "300")
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setPGStartupWait(Duration.ofMinutes(1))
                .start();
        return new PostgresServer(postgres, processOf(postgres));
    }

    /** The first line of this file is the process id. */
    private static ProcessHandle processOf(EmbeddedPostgres postgres) throws IOException {
        AtomicReference<String> directory = new AtomicReference<>("");
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery("show data_directory")) {
            rows.next();
            directory.set(rows.getString(1));
        } catch (SQLException e) {
            throw new IOException(e);
        }
        Path file = Path.of(directory.get(), "postmaster.pid");
        long pid = Long.parseLong(Files.readAllLines(file).get(0).strip());
        return ProcessHandle.of(pid).orElseThrow(() -> new IOException("no process " + pid));
    }

    @Override
    public String address() {
        return postgres.getJdbcUrl("postgres", "postgres");
    }

    @Override
    public String description() {
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                var fsync = statement.executeQuery("show fsync")) {
            fsync.next();
            return "PostgreSQL " + connection.getMetaData().getDatabaseProductVersion() + ", fsync "
                    + fsync.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void flush() {
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("drop schema public cascade");
            statement.execute("create schema public");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void keep(Durability durability) {
        flush();
        String commit = durability == Durability.RELAXED ? "off" : "on";
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("alter database postgres set synchronous_commit = " + commit);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Usage usage() {
        return ProcessUsage.ofTree(process);
    }

    @Override
    public void close() {
        try {
            postgres.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
