package io.delayqueue.spring.testsupport;

import io.delayqueue.test.EmbeddedRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * The Redis user of {@code docs/operations/security.md}, taken from there: applications of tests are this user, so that what
 * the library does beyond the document is seen. The tests themselves are the default user, who may do all.
 */
public final class DocumentedUser {

    /** Its name. */
    public static final String NAME = "delayqueue";

    private static final Path DOCUMENT = Path.of("..", "docs", "operations", "security.md");
    private static final String START = "ACL SETUSER " + NAME + " ";

    private DocumentedUser() {}

    /** Makes it known to a server, as it is documented; then changes it. At once: an application may be waiting for it. */
    public static void create(EmbeddedRedis redis, String... changes) {
        StringBuilder commands = new StringBuilder("MULTI\r\n");
        setUser(commands, "reset " + rules());
        for (String change : changes) {
            setUser(commands, change);
        }
        // only some versions know these, which keep ACL LOG quiet
        setUser(commands, "+client|setinfo");
        setUser(commands, "+client|maint_notifications");
        String replies = send(redis, commands + "EXEC");
        if (replies.lines().anyMatch(line -> line.startsWith("-") && !line.contains("+client|"))) {
            throw new IllegalStateException(replies);
        }
    }

    /** Ends all its connections. */
    public static void disconnect(EmbeddedRedis redis) {
        send(redis, "CLIENT KILL USER " + NAME);
    }

    /** Its password. */
    public static String password() {
        return rules().replaceAll(".*>(\\S+).*", "$1");
    }

    /** Commands, keys and channels that the server has denied it since the last time; empty if none. */
    public static String denied(EmbeddedRedis redis) {
        String log = send(redis, "ACL LOG");
        send(redis, "ACL LOG RESET");
        return log.contains("\n" + NAME + "\n") ? log : "";
    }

    private static void setUser(StringBuilder commands, String rules) {
        commands.append("ACL SETUSER " + NAME + " " + rules + "\r\n");
    }

    private static String rules() {
        try {
            return Files.readAllLines(DOCUMENT).stream()
                    .filter(line -> line.startsWith(START))
                    .findFirst()
                    .orElseThrow()
                    .substring(START.length());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Over a plain socket, as the default user. */
    private static String send(EmbeddedRedis redis, String command) {
        try (Socket socket = new Socket(redis.host(), redis.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write((command + "\r\nQUIT\r\n").getBytes(StandardCharsets.UTF_8));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .lines()
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
