package io.delayqueue.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The user of {@code docs/operations/security.md}, taken from there. In tests the library logs in as this user, so that a command
 * beyond the document fails the test. The tests themselves use the default user.
 */
public final class DocumentedUser {

    /** The row with the permissions for a Cluster. */
    public static final String CLUSTER = "on a Cluster";

    /** The row with the permissions for {@code waitForReplicas}. */
    public static final String WAIT = "with `delayqueue.wait-for-replicas`";

    private static final Path DOCUMENT = Path.of("..", "docs", "operations", "security.md");
    private static final String START = "ACL SETUSER ";
    private static final Pattern PERMISSION = Pattern.compile("[+][a-z_|]+");
    private static final String QUIET = "for a quiet";

    private DocumentedUser() {}

    /**
     * A server that knows the user, from its first moment and after each restart.
     *
     * @param rows rows of the document's table whose permissions it gets, too, by their first words
     */
    public static EmbeddedRedis.Builder on(EmbeddedRedis.Builder server, String... rows) {
        return server.setting("user", rules(rows).toArray(String[]::new));
    }

    /** As {@link #on}, for clients behind a proxy that keeps the order of replies by ECHO as this user. */
    public static EmbeddedRedis.Builder behindProxy(EmbeddedRedis.Builder server) {
        List<String> rules = rules();
        rules.add("+echo");
        return server.setting("user", rules.toArray(String[]::new));
    }

    /** Creates or resets the user on a running server. */
    public static void create(RedisCommands<String, String> admin, String... rows) {
        createWithout(admin, "none", rows);
    }

    /** Creates or resets the user, without one of its documented permissions. */
    public static void createWithout(RedisCommands<String, String> admin, String permission, String... rows) {
        List<String> rules = new ArrayList<>(rules(rows));
        rules.add(1, "reset");
        rules.removeIf(permission::equals);
        acl(admin, "SETUSER", rules.toArray(String[]::new));
    }

    /** The URI with its name and password, from the URI of the default user. */
    public static String uri(String uri) {
        List<String> words = command();
        String password = words.stream()
                .filter(word -> word.startsWith(">"))
                .findFirst()
                .orElseThrow()
                .substring(1);
        return uri.replace("://", "://" + words.get(0) + ":" + password + "@");
    }

    /** Fails if the server denied this user anything since the last time, or since it was started. */
    public static void assertNothingDenied(RedisCommands<String, String> admin) {
        String name = command().get(0);
        List<String> denied = admin.aclLog().stream()
                .filter(entry -> name.equals(entry.get("username")))
                .map(entry -> entry.get("reason") + " " + entry.get("object") + " (" + entry.get("context") + ")")
                .toList();
        admin.aclLogReset();
        assertThat(denied).as("denied to the documented user").isEmpty();
    }

    /** {@code ACL SUBCOMMAND argument …}. */
    public static void acl(RedisCommands<String, String> admin, String subcommand, String... arguments) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add(subcommand);
        for (String argument : arguments) {
            args.add(argument);
        }
        admin.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
    }

    /** Its name and rules, with those of some rows of the table, without commands that the server under test does not know. */
    public static List<String> rules(String... rows) {
        List<String> rules = new ArrayList<>(command());
        rules.addAll(permissionsOf(QUIET));
        for (String row : rows) {
            rules.addAll(permissionsOf(row));
        }
        rules.removeAll(UnknownToServer.PERMISSIONS);
        return rules;
    }

    private static List<String> permissionsOf(String row) {
        return PERMISSION
                .matcher(row(row).replace("\\|", "|"))
                .results()
                .map(MatchResult::group)
                .toList();
    }

    private static String row(String start) {
        return lines().filter(line -> line.startsWith("| " + start)).findFirst().orElseThrow();
    }

    private static List<String> command() {
        return Arrays.asList(lines().filter(line -> line.startsWith(START))
                .findFirst()
                .orElseThrow()
                .substring(START.length())
                .split(" "));
    }

    private static Stream<String> lines() {
        try {
            return Files.readAllLines(DOCUMENT).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Documented permissions for newer servers that the server under test does not know. */
    private static final class UnknownToServer {

        static final Set<String> PERMISSIONS = find(
                Set.of("+spublish", "+ssubscribe", "+sunsubscribe", "+client|setinfo", "+client|maint_notifications"));

        private static Set<String> find(Set<String> permissions) {
            try (EmbeddedRedis server = EmbeddedRedis.start()) {
                RedisClient client = RedisClient.create(server.uri());
                RedisCommands<String, String> admin = client.connect().sync();
                Set<String> unknown = permissions.stream()
                        .filter(permission -> !knows(admin, permission))
                        .collect(Collectors.toUnmodifiableSet());
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
                return unknown;
            }
        }

        private static boolean knows(RedisCommands<String, String> admin, String permission) {
            try {
                acl(admin, "SETUSER", "anybody", permission);
                return true;
            } catch (io.lettuce.core.RedisCommandExecutionException e) {
                return false;
            }
        }
    }
}
