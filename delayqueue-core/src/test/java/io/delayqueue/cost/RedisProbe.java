package io.delayqueue.cost;

import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commands that Redis ran, those inside scripts included, by {@code INFO commandstats}. */
final class RedisProbe implements AutoCloseable {

    private static final Pattern CALLS = Pattern.compile("cmdstat_([^:|]+)[^:]*:calls=(\\d+)");

    private static final Pattern SCRIPT_MICROS = Pattern.compile("cmdstat_evalsha:calls=\\d+,usec=(\\d+)");

    private final RedisClient client;
    private final RedisCommands<String, String> commands;

    RedisProbe(EmbeddedRedis redis) {
        client = RedisClient.create(redis.uri());
        commands = client.connect().sync();
    }

    /** The library's user. */
    void createUser() {
        DocumentedUser.create(commands);
    }

    void assertNothingDenied() {
        DocumentedUser.assertNothingDenied(commands);
    }

    void echo(String text) {
        commands.echo(text);
    }

    void resetStats() {
        commands.configResetstat();
    }

    /** Calls by command in lower case. */
    Map<String, Long> calls() {
        Map<String, Long> calls = new TreeMap<>();
        Matcher line = CALLS.matcher(commands.info("commandstats"));
        while (line.find()) {
            calls.merge(line.group(1).toLowerCase(), Long.parseLong(line.group(2)), Long::sum);
        }
        return calls;
    }

    long scriptCalls() {
        Map<String, Long> calls = calls();
        return calls.getOrDefault("evalsha", 0L) + calls.getOrDefault("eval", 0L);
    }

    /** Time that scripts took in Redis. */
    long scriptMicros() {
        Matcher line = SCRIPT_MICROS.matcher(commands.info("commandstats"));
        long micros = 0;
        while (line.find()) {
            micros += Long.parseLong(line.group(1));
        }
        return micros;
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
