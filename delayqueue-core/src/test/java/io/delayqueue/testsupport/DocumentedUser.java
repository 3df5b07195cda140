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
 * The user of {@code docs/operations/security.md}, taken from there. In tests the library is this user, so that what it does
 * beyond the document is seen; the tests themselves are the default user, who may do all.
 */
public final class DocumentedUser {

    /** The row of what a Cluster needs. */
    public static final String CLUSTER = "on a Cluster";

    /** The row of what {@code waitForReplicas} needs. */
    public static final String WAIT = "with `delayqueue.wait-for-replicas`";

    private static final Path DOCUMENT = Path.of("..", "docs", "operations", "security.md");
    private static final String START = "ACL SETUSER ";
    private static final Pattern PERMISSION = Pattern.compile("[+][a-z_|]+");
    private static final String QUIET = "for a quiet";
    private static final String REDIS_8 = "on Redis 8";

    private DocumentedUser() {}

    /**
     * A server that knows the user, from its first moment and after each restart.
     *
     * @param rows what the document grants as well, by the first words of rows of its table
     */
    public static EmbeddedRedis.Builder on(EmbeddedRedis.Builder server, String... rows) {
        return server.setting("user", rules(rows).toArray(String[]::new));
    }

    /** As {@link #on}, for clients behind a proxy that keeps the turn of answers by ECHO, in the user's name. */
    public static EmbeddedRedis.Builder behindProxy(EmbeddedRedis.Builder server) {
        List<String> rules = rules();
        rules.add("+echo");
        return server.setting("user", rules.toArray(String[]::new));
    }

    /** Makes the user known to a server that runs already, or known anew. */
    public static void create(RedisCommands<String, String> admin, String... rows) {
        createWithout(admin, "none", rows);
    }

    /** Makes the user known anew, without one of the rights that the document gives it with these rows. */
    public static void createWithout(RedisCommands<String, String> admin, String right, String... rows) {
        List<String> rules = new ArrayList<>(rules(rows));
        rules.add(1, "reset");
        rules.removeIf(right::equals);
        acl(admin, "SETUSER", rules.toArray(String[]::new));
    }

    /** Where the user logs in, given where the default user would. */
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

    /** Name and rules, those of rows of the table among them, as far as the server under test knows the commands. */
    public static List<String> rules(String... rows) {
        List<String> rules = new ArrayList<>(command());
        rules.addAll(permissionsOf(QUIET));
        rules.addAll(permissionsOf(REDIS_8));
        for (String row : rows) {
            rules.addAll(permissionsOf(row));
        }
        rules.removeAll(Unknown.PERMISSIONS);
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

    /** Of the rights that the document gives to later servers only, those that the server under test does not know. */
    private static final class Unknown {

        static final Set<String> PERMISSIONS = find(Set.of(
                "+spublish",
                "+ssubscribe",
                "+sunsubscribe",
                "+hsetex",
                "+client|setinfo",
                "+client|maint_notifications"));

        private static Set<String> find(Set<String> rights) {
            try (EmbeddedRedis server = EmbeddedRedis.start()) {
                RedisClient client = RedisClient.create(server.uri());
                RedisCommands<String, String> admin = client.connect().sync();
                Set<String> unknown =
                        rights.stream().filter(right -> !knows(admin, right)).collect(Collectors.toUnmodifiableSet());
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
                return unknown;
            }
        }

        private static boolean knows(RedisCommands<String, String> admin, String right) {
            try {
                acl(admin, "SETUSER", "anybody", right);
                return true;
            } catch (io.lettuce.core.RedisCommandExecutionException e) {
                return false;
            }
        }
    }
}
