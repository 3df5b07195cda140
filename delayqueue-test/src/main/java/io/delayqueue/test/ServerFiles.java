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
import java.util.Map;
import java.util.stream.Stream;

/** The directory of one server: its configuration, log and data; and the variables of its process. */
record ServerFiles(Path directory, ServerSettings.Mode mode, List<String> settings, Map<String, String> environment) {

    private static final int LOG_LINES_IN_MESSAGES = 20;

    static ServerFiles create(ServerSettings settings) {
        try {
            return new ServerFiles(
                    Files.createTempDirectory("delayqueue-redis-"),
                    settings.mode(),
                    settings.lines(),
                    settings.environment());
        } catch (IOException e) {
            throw new EmbeddedRedisException("Can't create a temporary directory for the server", e);
        }
    }

    /** Writes the configuration, with the user's settings last so that they take precedence, and returns its path. */
    Path writeConfiguration(int port) throws IOException {
        ServerSettings defaults = new ServerSettings();
        defaults.add("bind", EmbeddedRedis.HOST);
        defaults.add("port", Integer.toString(port));
        defaults.add("dir", directory.toString());
        defaults.add("daemonize", "no");
        if (mode == ServerSettings.Mode.DATABASE) {
            defaults.add("save", "");
            defaults.add("appendonly", "no");
        }
        List<String> lines = new ArrayList<>(defaults.lines());
        lines.addAll(settings);
        return Files.write(directory.resolve("redis.conf"), lines);
    }

    /** The command line of the server. */
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
            int from = Math.max(0, lines.size() - LOG_LINES_IN_MESSAGES);
            return String.join(System.lineSeparator(), lines.subList(from, lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    /** Deletes the directory and its files, as far as possible. */
    void delete() {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            // the watchdog deletes the same directory, and may have been faster
        }
    }
}
