package io.delayqueue.test;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The directory of one server: its configuration, its log, and what it persists. */
record ServerFiles(Path directory, ServerSettings.Mode mode, List<String> settings) {

    private static final int LOG_LINES_WORTH_SHOWING = 20;

    static ServerFiles create(ServerSettings settings) {
        try {
            return new ServerFiles(Files.createTempDirectory("delayqueue-redis-"), settings.mode(), settings.lines());
        } catch (IOException e) {
            throw new EmbeddedRedisException("Can't create a temporary directory for the server", e);
        }
    }

    /** Writes the configuration, ours first so that the user's settings win, and gives its path. */
    Path writeConfiguration(int port) throws IOException {
        ServerSettings ours = new ServerSettings();
        ours.add("bind", EmbeddedRedis.HOST);
        ours.add("port", Integer.toString(port));
        ours.add("dir", directory.toString());
        ours.add("daemonize", "no");
        if (mode == ServerSettings.Mode.DATABASE) {
            ours.add("save", "");
            ours.add("appendonly", "no");
        }
        List<String> lines = new ArrayList<>(ours.lines());
        lines.addAll(settings);
        return Files.write(directory.resolve("redis.conf"), lines);
    }

    /** What to run the server with. */
    List<String> command(Path executable, Path configuration) {
        return mode == ServerSettings.Mode.SENTINEL
                ? List.of(executable.toString(), configuration.toString(), "--sentinel")
                : List.of(executable.toString(), configuration.toString());
    }

    File log() {
        return directory.resolve("server.log").toFile();
    }

    /** The end of the log, for messages. */
    String lastLogLines() {
        try {
            List<String> lines = Files.readString(log().toPath(), StandardCharsets.ISO_8859_1)
                    .lines()
                    .toList();
            int from = Math.max(0, lines.size() - LOG_LINES_WORTH_SHOWING);
            return String.join(System.lineSeparator(), lines.subList(from, lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    /** Deletes the directory with all that is in it, as far as possible. */
    void delete() {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            // The watchdog deletes the same directory; whichever comes second finds it gone.
        }
    }
}
