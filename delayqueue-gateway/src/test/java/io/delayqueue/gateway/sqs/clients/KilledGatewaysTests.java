package io.delayqueue.gateway.sqs.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.testsupport.GatewayProcess;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * SQS clients send, receive and delete by two gateways that are killed in turn, beside clients that die while they receive. Redis is
 * killed, too, and has its data when it is back. By what clients were told: each message whose send was answered is handled, none comes
 * early, and none comes again within its visibility timeout or after its delete.
 */
class KilledGatewaysTests {

    private static final String QUEUE = "killed-gateways";

    /** The queue's, and longer than the delivery lease: messages are claimed with it, and not extended by most receives. */
    private static final int VISIBILITY_SECONDS = 6;

    /** A twentieth of it may be over when an answer is written. */
    private static final Duration LEAST_VISIBILITY = Duration.ofMillis(5_700);

    private static final int SENDERS = 2;
    private static final int WORKERS = 3;
    private static final int MORTALS = 2;

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger deaths = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final ToldSteps steps = new ToldSteps(LEAST_VISIBILITY);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @Test
    @Tag("slow")
    @Timeout(300)
    void eachMessageThatWasSentIsHandled(@TempDir Path folder) throws Exception {
        play(folder, 80, 2);
    }

    @Test
    @Tag("measurement")
    @Timeout(1_800)
    void eachOfManyMessagesIsHandled(@TempDir Path folder) throws Exception {
        play(folder, 3_000, 20);
    }

    private interface Work {
        void run() throws Exception;
    }

    private Future<?> start(Work work) {
        return threads.submit(() -> {
            work.run();
            return true;
        });
    }

    private static GatewayProcess gateway(EmbeddedRedis redis, Path log) throws Exception {
        return new GatewayProcess(redis, log, "delayqueue.gateway.sqs.enabled=true");
    }

    private ToldClient client(int[] ports, long seed) {
        return new ToldClient(steps, ports, QUEUE, VISIBILITY_SECONDS, seed, unanswered);
    }

    private void play(Path folder, int messages, int leastFaults) throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.builder().appendOnly().start();
                GatewayProcess first = gateway(redis, folder.resolve("first.log"));
                GatewayProcess second = gateway(redis, folder.resolve("second.log"))) {
            first.awaitReady();
            second.awaitReady();
            int[] ports = {first.port(), second.port()};
            // a gateway that has just started may need longer than its two seconds to connect
            await().atMost(Duration.ofMinutes(1))
                    .until(() ->
                            client(ports, 0).ask("CreateQueue", OpenSqs.createBody(QUEUE, VISIBILITY_SECONDS)) != null);
            List<Future<?>> senders = new ArrayList<>();
            List<Future<?>> others = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                ToldClient client = client(ports, i);
                int next = i * messages;
                senders.add(start(() -> client.send(next, messages)));
            }
            for (int i = 0; i < WORKERS; i++) {
                ToldClient client = client(ports, 100 + i);
                others.add(start(() -> client.work(over)));
            }
            for (int i = 0; i < MORTALS; i++) {
                ToldClient client = client(ports, 200 + i);
                others.add(start(() -> client.die(over, deaths)));
            }
            int faults = playFaults(redis, List.of(first, second), senders, leastFaults);
            for (Future<?> sender : senders) {
                sender.get(5, TimeUnit.MINUTES);
            }
            TopicStats stats = drained(redis);
            over.set(true);
            for (Future<?> other : others) {
                other.get(1, TimeUnit.MINUTES);
            }
            assertThat(stats.unaccounted()).isZero();
            assertThat(stats.dead()).isZero();
            steps.check(stats.totals().accepted(), deaths.get());
            assertThat(faults).isGreaterThanOrEqualTo(leastFaults);
            assertThat(deaths.get()).as("dead clients").isGreaterThan(faults);
            assertThat(unanswered.get()).as("requests without an answer").isPositive();
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
    }

    /** As long as messages are sent: one gateway, Redis, the other one, Redis. */
    private static int playFaults(
            EmbeddedRedis redis, List<GatewayProcess> gateways, List<Future<?>> senders, int leastFaults)
            throws Exception {
        int faults = 0;
        while (faults < leastFaults || senders.stream().anyMatch(sender -> !sender.isDone())) {
            pause(Duration.ofMillis(500));
            if (faults % 2 == 0) {
                GatewayProcess gateway = gateways.get(faults / 2 % gateways.size());
                gateway.kill();
                gateway.start();
                gateway.awaitReady();
            } else {
                redis.kill();
                pause(Duration.ofMillis(300));
                redis.restart();
            }
            faults++;
        }
        return faults;
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
            return await().atMost(Duration.ofMinutes(2))
                    .until(
                            () -> client.stats(QUEUE),
                            stats -> stats.totals().accepted() == stats.totals().acked());
        } finally {
            lettuce.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }
}
