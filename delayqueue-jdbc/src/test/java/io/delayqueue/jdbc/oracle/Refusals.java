package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.Random;
import java.util.regex.Pattern;

/** Faults of a run in which Redis answers with errors. Each shows that it struck. */
record Refusals(Run run) {

    private static final Pattern UNKNOWN_SCRIPTS = Pattern.compile("errorstat_NOSCRIPT:count=(\\d+)");

    private static final Pattern BUSY_ERRORS = Pattern.compile("errorstat_BUSY:count=(\\d+)");

    private static final String LONG_SCRIPT = """
            local function millis()
              local time = redis.call('TIME')
              return time[1] * 1000 + time[2] / 1000
            end
            local ending = millis() + ARGV[1]
            repeat until millis() > ending
            """;

    /** Before Redis 7, the error of a script hides the one of its command, but the call of the script counts as failed. */
    private static final Pattern REFUSED_CALLS =
            Pattern.compile("(?:errorstat_NOREPLICAS:count|cmdstat_evalsha:.*failed_calls)=(\\d+)");

    void any(Random random) throws Exception {
        switch (random.nextInt(5)) {
            case 0 -> fillRedis();
            case 1 -> missReplicas();
            case 2 -> flushScripts();
            case 3 -> denyWakeUps();
            default -> runLongScript();
        }
    }

    /** Redis forgets all scripts again and again, while calls name them. */
    void flushScripts() throws Exception {
        long before = errors(UNKNOWN_SCRIPTS);
        run.strike(
                "scripts flushed",
                null,
                () -> Instances.await(Duration.ofSeconds(90)).until(() -> {
                    run.ask(RedisCommands::scriptFlush);
                    return errors(UNKNOWN_SCRIPTS) >= before + 20;
                }));
    }

    /** A script of another program runs for so long that Redis refuses all calls meanwhile, with {@code BUSY}. */
    void runLongScript() throws Exception {
        long before = errors(BUSY_ERRORS);
        run.strike("Redis busy", null, () -> {
            run.ask(redis -> redis.configSet("lua-time-limit", "100"));
            run.ask(redis -> redis.eval(
                    LONG_SCRIPT, ScriptOutputType.STATUS, new String[0], String.valueOf(Faults.SHORT.toMillis())));
            assertThat(errors(BUSY_ERRORS))
                    .as("calls refused by the busy server")
                    .isGreaterThan(before);
        });
    }

    /** Error replies of a kind so far. */
    private long errors(Pattern kind) {
        return kind.matcher(run.ask(redis -> redis.info("errorstats")))
                .results()
                .mapToLong(count -> Long.parseLong(count.group(1)))
                .sum();
    }

    /** Redis refuses what needs memory: acks go on. */
    void fillRedis() throws Exception {
        run.strike("Redis full", null, () -> {
            run.ask(redis -> redis.configSet("maxmemory-policy", "noeviction"));
            run.ask(redis -> redis.configSet("maxmemory", "1"));
            try {
                Instances.await(Duration.ofSeconds(60))
                        .untilAsserted(() -> assertThat(run.recorded.outbox().size())
                                .as("ids in the outbox")
                                .isGreaterThan(50));
                run.play(Faults.LONG);
            } finally {
                run.ask(redis -> redis.configSet("maxmemory", "0"));
            }
        });
    }

    /** Redis refuses all calls that write, acks and claims included, since it has fewer replicas than they need. */
    void missReplicas() throws Exception {
        long before = refusedCalls();
        run.strike("replicas missing", null, () -> {
            run.ask(redis -> redis.configSet("min-replicas-to-write", "2"));
            try {
                run.play(Faults.SHORT);
                Instances.await(Duration.ofSeconds(60)).until(() -> refusedCalls() >= before + 10);
            } finally {
                run.ask(redis -> redis.configSet("min-replicas-to-write", "0"));
            }
        });
    }

    /** Calls of scripts so far that failed. */
    private long refusedCalls() {
        return REFUSED_CALLS
                .matcher(run.ask(redis -> redis.info("all")))
                .results()
                .mapToLong(count -> Long.parseLong(count.group(1)))
                .sum();
    }

    /** Redis denies a command in the middle of scripts: they do the rest, and wake nobody up. */
    void denyWakeUps() throws Exception {
        run.strike("wake-ups denied", null, () -> {
            run.ask(RedisCommands::aclLogReset);
            run.ask(redis -> redis.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.PUBLISH)));
            try {
                Instances.await(Duration.ofSeconds(60)).until(() -> deniedWakeUps() >= 3);
            } finally {
                run.ask(redis -> redis.aclSetuser("default", AclSetuserArgs.Builder.addCommand(CommandType.PUBLISH)));
            }
        });
    }

    /** Calls of PUBLISH that were denied since the log was emptied: only scripts make any. */
    private long deniedWakeUps() {
        return run.ask(redis -> redis.aclLog()).stream()
                .filter(entry -> "publish".equals(entry.get("object")))
                .mapToLong(entry -> (Long) entry.get("count"))
                .sum();
    }
}
