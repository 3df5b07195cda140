package io.delayqueue.gateway.testsupport;

import io.delayqueue.test.EmbeddedRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The Redis user of {@code docs/operations/security.md}, with what that grants a gateway. Gateways of tests are this user, so that a
 * command beyond the document is seen. The tests themselves are the default user, who may do all.
 */
public final class DocumentedUser {

    private static final String NAME = "delayqueue";
    private static final Path DOCUMENT = Path.of("..", "docs", "operations", "security.md");
    private static final Pattern PERMISSION = Pattern.compile("[+][a-z_|]+");

    private DocumentedUser() {}

    /** URI of the user, who is created on this server, or reset. At once: another gateway may be at work as this user. */
    static String uri(EmbeddedRedis redis) {
        String rules = lineWith("ACL SETUSER " + NAME + " ");
        // only some versions know these, which keep ACL LOG quiet
        String replies = send(
                redis,
                "MULTI",
                setUser("reset " + rules.substring(rules.indexOf("on "))),
                setUser(permissions("| with [`delayqueue-gateway`]")),
                setUser("+client|setinfo"),
                setUser("+client|maint_notifications"),
                "EXEC");
        if (replies.lines().anyMatch(line -> line.startsWith("-") && !line.contains("+client|"))) {
            throw new IllegalStateException(replies);
        }
        String password = rules.replaceAll(".*>(\\S+).*", "$1");
        return redis.uri().replace("://", "://" + NAME + ":" + password + "@");
    }

    /** Commands, keys and channels that the server has denied the user since the last time; empty if none. */
    static String denied(EmbeddedRedis redis) {
        String log = send(redis, "ACL LOG", "ACL LOG RESET");
        return log.contains("\n" + NAME + "\n") ? log : "";
    }

    private static String setUser(String rules) {
        return "ACL SETUSER " + NAME + " " + rules;
    }

    private static String permissions(String row) {
        return PERMISSION
                .matcher(lineWith(row))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.joining(" "));
    }

    private static String lineWith(String start) {
        try {
            return Files.readAllLines(DOCUMENT).stream()
                    .filter(line -> line.startsWith(start))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Over a plain socket, as the default user. */
    private static String send(EmbeddedRedis redis, String... commands) {
        try (Socket socket = new Socket(redis.host(), redis.port())) {
            socket.setSoTimeout(10_000);
            String lines = String.join("\r\n", List.of(commands)) + "\r\nQUIT\r\n";
            socket.getOutputStream().write(lines.getBytes(StandardCharsets.UTF_8));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .lines()
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
