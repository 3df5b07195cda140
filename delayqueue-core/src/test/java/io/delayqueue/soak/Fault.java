package io.delayqueue.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testsupport.PlayedTime;
import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.proxy.FaultyProxy;
import io.delayqueue.testsupport.proxy.FaultyProxy.Direction;
import io.delayqueue.testsupport.proxy.Request;
import io.lettuce.core.KillArgs;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The faults of a soak. Each is over when {@link #strike} returns, and fails if it did not strike. */
enum Fault {
    REDIS_KILLED("Redis killed (`kill -9`) and restarted from its append-only file") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            String before = Signs.runId(fleet);
            fleet.server().kill();
            lastFor(random, 0, 2000);
            fleet.server().restart();
            assertThat(Signs.runId(fleet)).as("the server is another one").isNotEqualTo(before);
            return null;
        }
    },
    REDIS_FROZEN("Redis frozen (`kill -STOP`) for 0.5 to 4 s") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            fleet.server().pause();
            Future<?> answer = Signs.ask(fleet);
            lastFor(random, 500, 4000);
            assertThat(answer.isDone()).as("the frozen server answered").isFalse();
            fleet.server().resume();
            return null;
        }
    },
    CLIENT_PAUSE("`CLIENT PAUSE` for 0.2 to 4 s") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            Duration pause = between(random, 200, 4000);
            long begun = System.nanoTime();
            fleet.redis().clientPause(pause.toMillis());
            Signs.awaitAnswer(fleet);
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("a call in the pause waited")
                    .isGreaterThan(pause.multipliedBy(9).dividedBy(10));
            return null;
        }
    },
    SCRIPT_FLUSH("`SCRIPT FLUSH` every 10 ms for 2 s") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            long before = Signs.errors(fleet, "NOSCRIPT");
            for (int i = 0; i < 200; i++) {
                fleet.redis().scriptFlush();
                PlayedTime.pass(Duration.ofMillis(10));
            }
            assertThat(Signs.errors(fleet, "NOSCRIPT"))
                    .as("scripts that were gone")
                    .isGreaterThan(before);
            return null;
        }
    },
    CLIENT_KILL("`CLIENT KILL` of all connections every 200 ms for 2 s") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            long killed = 0;
            for (int i = 0; i < 10; i++) {
                killed += fleet.redis().clientKill(KillArgs.Builder.typePubsub());
                killed += fleet.redis().clientKill(KillArgs.Builder.typeNormal().skipme());
                PlayedTime.pass(Duration.ofMillis(200));
            }
            assertThat(killed).as("connections killed").isGreaterThan(2 * Soak.WORKERS);
            return null;
        }
    },
    BUSY("a foreign script runs for 0.5 to 3 s (`BUSY`)") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            long before = Signs.errors(fleet, "BUSY");
            fleet.redis().configSet("lua-time-limit", "100");
            fleet.redis()
                    .eval(
                            LONG_SCRIPT,
                            ScriptOutputType.STATUS,
                            new String[0],
                            String.valueOf(between(random, 500, 3000).toMillis()));
            assertThat(Signs.errors(fleet, "BUSY"))
                    .as("calls refused by the busy server")
                    .isGreaterThan(before);
            return null;
        }
    },
    REDIS_FULL("Redis full (`maxmemory`, `noeviction`) for 2 s") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            long before = fleet.count(Soak.TOPIC, What.REPEATED);
            fleet.redis().configSet("maxmemory", "1");
            PlayedTime.pass(Duration.ofSeconds(2));
            fleet.redis().configSet("maxmemory", "0");
            Fleet.await()
                    .alias("schedule calls refused by the full server")
                    .until(() -> fleet.count(Soak.TOPIC, What.REPEATED) > before);
            return null;
        }
    },
    WORKER_KILLED("a worker killed (`kill -9`) and replaced") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) throws Exception {
            Fleet.Member hit = oneOf(fleet.members(), random);
            fleet.kill(hit);
            Soak.putToWork(fleet, fleet.startWorker());
            return hit;
        }
    },
    WORKER_FROZEN("a worker frozen (`kill -STOP`) for 1 to 6 s") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            Fleet.Member worker = oneOf(fleet.members(), random);
            long before = Signs.stalls(fleet, worker);
            worker.jvm().pause();
            lastFor(random, 1000, 6000);
            worker.jvm().resume();
            Fleet.await()
                    .alias("the worker noticed that it was frozen")
                    .until(() -> Signs.stalls(fleet, worker) > before);
            return worker;
        }
    },
    RESET("a worker's connections reset five times") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            Fleet.Member hit = oneOf(fleet.members(), random);
            long before = hit.proxy().hits();
            for (int i = 0; i < 5; i++) {
                hit.proxy().reset();
                lastFor(random, 0, 500);
            }
            // it has none while it still recovers from the fault before
            Fleet.await().alias("a connection is reset").until(() -> {
                if (hit.proxy().hits() == before) {
                    hit.proxy().reset();
                }
                return hit.proxy().hits() > before;
            });
            return hit;
        }
    },
    BLACKHOLE("a worker's connections blackholed for 1 to 6 s, dead thereafter") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            return whileDoing(fleet, random, FaultyProxy::blackhole);
        }
    },
    BLACKHOLE_ONE_WAY("a worker's replies blackholed for 1 to 6 s") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            return whileDoing(fleet, random, proxy -> proxy.blackhole(Direction.REPLIES));
        }
    },
    HELD("a worker's traffic held back for 1 to 6 s, then delivered") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            return whileDoing(fleet, random, FaultyProxy::hold);
        }
    },
    SLOW("a worker's replies 50 ms late, for 1 to 6 s") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            return whileDoing(fleet, random, proxy -> proxy.delay(Direction.REPLIES, Duration.ofMillis(50)));
        }
    },
    REPLIES_LOST("replies to a worker's schedules, claims and acks lost, for 1 to 6 s") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            Predicate<Request> some =
                    oneOf(List.of(Request.script("schedule"), Request.script("claim"), Request.script("ack")), random);
            return whileDoing(fleet, random, proxy -> proxy.swallowReplies(5, some));
        }
    },
    ERRORS(
            "a worker's scripts refused (`LOADING`, `MASTERDOWN`, `NOREPLICAS`, `OOM`, `NOAUTH`, or malformed) for 1 to 6 s") {
        @Override
        Fleet.@Nullable Member strike(Fleet fleet, Random random) {
            int kind = random.nextInt(ERROR_REPLIES.size() + 1);
            return whileDoing(fleet, random, proxy -> {
                if (kind < ERROR_REPLIES.size()) {
                    proxy.answer(Request.named("EVALSHA"), ERROR_REPLIES.get(kind));
                } else {
                    proxy.answerRaw(Request.named("EVALSHA"), "not RESP\r\n".getBytes(StandardCharsets.US_ASCII));
                }
            });
        }
    };

    private static final String LONG_SCRIPT = """
            local t = redis.call('TIME')
            local e = t[1] * 1000 + t[2] / 1000 + ARGV[1]
            repeat
              t = redis.call('TIME')
            until t[1] * 1000 + t[2] / 1000 > e
            """;

    private static final List<String> ERROR_REPLIES = List.of(
            "LOADING Redis is loading the dataset in memory",
            "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
            "NOREPLICAS Not enough good replicas to write.",
            "OOM command not allowed when used memory > 'maxmemory'.",
            "NOAUTH Authentication required.");

    private final String description;

    Fault(String description) {
        this.description = description;
    }

    String description() {
        return description;
    }

    /** Whether it may outlast a lease, or lose an ack: then messages in flight are delivered again. */
    boolean mayRepeatDeliveries() {
        return this != SCRIPT_FLUSH && this != REDIS_FULL && this != SLOW;
    }

    /** Causes the fault, and ends it. Returns the worker that it hit, null if it hit all. */
    abstract Fleet.@Nullable Member strike(Fleet fleet, Random random) throws Exception;

    private static Fleet.Member whileDoing(Fleet fleet, Random random, Consumer<FaultyProxy> harm) {
        Fleet.Member hit = oneOf(fleet.members(), random);
        long before = hit.proxy().hits();
        harm.accept(hit.proxy());
        lastFor(random, 1000, 6000);
        // there is none while it still recovers from the fault before
        Fleet.await().alias("the fault meets traffic").until(() -> hit.proxy().hits() > before);
        hit.proxy().forward();
        return hit;
    }

    /** Lets the fault last. */
    private static void lastFor(Random random, int leastMillis, int mostMillis) {
        PlayedTime.pass(between(random, leastMillis, mostMillis));
    }

    private static Duration between(Random random, int leastMillis, int mostMillis) {
        return Duration.ofMillis(leastMillis + random.nextInt(mostMillis - leastMillis));
    }

    private static <T> T oneOf(List<T> all, Random random) {
        return all.get(random.nextInt(all.size()));
    }
}
