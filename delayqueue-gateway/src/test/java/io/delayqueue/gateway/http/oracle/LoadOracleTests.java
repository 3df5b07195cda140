package io.delayqueue.gateway.http.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.testsupport.GatewayProcess;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A load over two gateways that are killed in turn, with clients that die while they claim. Redis is killed, too, and has its data when
 * it is back. No message that a client was told of is lost, none comes early by Redis' clock, and none comes after its ack.
 */
class LoadOracleTests {

    private static final int PRODUCERS = 3;
    private static final int CONSUMERS = 4;
    private static final int MORTALS = 2;
    private static final int MESSAGES = 250;

    @Test
    @Tag("slow")
    @Timeout(480)
    void everyMessageIsAckedOnce(@TempDir Path folder) throws Exception {
        play(folder, 20_261_123, count -> count < MESSAGES);
    }

    /**
     * The long form. System properties: {@code soak.duration} (such as {@code PT1M}), {@code soak.seed} (that of a former run). The caller
     * sets the duration, so that the default timeout does not fit.
     */
    @Test
    @Tag("soak")
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    void everyMessageIsAckedOnceThroughManyFaults(@TempDir Path folder) throws Exception {
        Duration duration = Duration.parse(System.getProperty("soak.duration", "PT10M"));
        long seed = Long.getLong("soak.seed", System.nanoTime());
        System.out.println("Load oracle of " + duration + ", seed " + seed);
        long end = System.nanoTime() + duration.toNanos();
        play(folder, seed, count -> System.nanoTime() - end < 0);
    }

    /**
     * Plays the load.
     *
     * @param goesOn whether a producer schedules one more message, by the number of those before
     */
    private static void play(Path folder, long seed, IntPredicate goesOn) throws Exception {
        Ledger ledger = new Ledger();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger deaths = new AtomicInteger();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (EmbeddedRedis redis = EmbeddedRedis.builder().appendOnly().start();
                RedisClock clock = new RedisClock(redis);
                GatewayProcess first = gateway(redis, folder.resolve("first.log"));
                GatewayProcess second = gateway(redis, folder.resolve("second.log"))) {
            first.awaitReady();
            second.awaitReady();
            int[] ports = {first.port(), second.port()};
            List<Future<?>> producers = new ArrayList<>();
            List<Future<?>> others = new ArrayList<>();
            for (int i = 0; i < PRODUCERS; i++) {
                Client client = new Client(ledger, clock, ports, seed + i, over);
                String prefix = "m" + i + "-";
                producers.add(threads.submit(done(() -> client.produce(prefix, goesOn))));
            }
            for (int i = 0; i < CONSUMERS; i++) {
                Client client = new Client(ledger, clock, ports, seed + 100 + i, over);
                others.add(threads.submit(done(client::consume)));
            }
            for (int i = 0; i < MORTALS; i++) {
                Client client = new Client(ledger, clock, ports, seed + 200 + i, over);
                others.add(threads.submit(done(() -> client.die(deaths))));
            }
            try {
                int faults = playFaults(redis, List.of(first, second), producers, ledger);
                for (Future<?> producer : producers) {
                    producer.get(120, TimeUnit.SECONDS);
                }
                TopicStats stats = drained(redis);
                // a client may not have read the answer to the last ack
                over.set(true);
                for (Future<?> other : others) {
                    other.get(120, TimeUnit.SECONDS);
                }
                System.out.println("Load oracle: " + ledger + ", " + faults + " faults, " + deaths + " dead clients");
                ledger.check(stats);
                assertThat(deaths.get()).as("dead clients").isGreaterThan(10);
                assertThat(ledger.unanswered()).as("requests without an answer").isPositive();
                assertThat(ledger.redeliveries()).isPositive();
            } finally {
                over.set(true);
            }
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
    }

    private static GatewayProcess gateway(EmbeddedRedis redis, Path log) throws Exception {
        return new GatewayProcess(redis, log, "delayqueue.gateway.claims.max-attempts=1000");
    }

    private interface Work {
        void run() throws Exception;
    }

    private static Callable<Boolean> done(Work work) {
        return () -> {
            work.run();
            return true;
        };
    }

    /**
     * As long as messages are scheduled, and once at least: one gateway, the other one, Redis. Each is away until a client has seen it.
     *
     * @return the number of faults
     */
    private static int playFaults(
            EmbeddedRedis redis, List<GatewayProcess> gateways, List<Future<?>> producers, Ledger ledger)
            throws Exception {
        int faults = 0;
        while (faults < 3 || producers.stream().anyMatch(producer -> !producer.isDone())) {
            pause(Duration.ofSeconds(1));
            int next = faults % (gateways.size() + 1);
            if (next < gateways.size()) {
                GatewayProcess gateway = gateways.get(next);
                int before = ledger.timesGatewayWasAway(gateway.port());
                gateway.kill();
                pause(Duration.ofMillis(500));
                awaitStruck("a gateway", () -> ledger.timesGatewayWasAway(gateway.port()) > before);
                gateway.start();
                gateway.awaitReady();
            } else {
                int before = ledger.timesRedisWasUnavailable();
                redis.kill();
                pause(Duration.ofMillis(500));
                awaitStruck("Redis", () -> ledger.timesRedisWasUnavailable() > before);
                redis.restart();
            }
            faults++;
        }
        return faults;
    }

    /** Claims go on when all messages are scheduled, so there are always clients who see that something is away. */
    private static void awaitStruck(String killed, Callable<Boolean> seen) {
        await("a client met the end of " + killed)
                .atMost(Duration.ofSeconds(60))
                .until(seen);
    }

    private static void pause(Duration time) {
        await().pollDelay(time).atMost(time.plusSeconds(60)).until(() -> true);
    }

    private static TopicStats drained(EmbeddedRedis redis) {
        RedisClient lettuce = RedisClient.create(redis.uri());
        try (DelayQueueClient client = DelayQueueClient.create(
                lettuce,
                DelayQueueOptions.builder()
                        .commandTimeout(Duration.ofSeconds(30))
                        .build())) {
            return await().atMost(Duration.ofSeconds(120)).until(() -> client.stats(Client.TOPIC), stats -> {
                TopicStats.Pending pending = stats.pending();
                return pending.scheduled() + pending.ready() + stats.inFlight() == 0;
            });
        } finally {
            lettuce.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }
}
