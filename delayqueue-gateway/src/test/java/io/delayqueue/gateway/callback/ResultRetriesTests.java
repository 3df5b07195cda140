package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Results of callbacks that Redis does not take at first. */
class ResultRetriesTests {

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final int RESULTS = 20;

    private final EmbeddedRedis redis = EmbeddedRedis.builder().appendOnly().start();
    private final RedisClient connections = RedisClient.create(redis.uri());
    private final DelayQueueClient client = DelayQueueClient.create(
            connections,
            DelayQueueOptions.builder().commandTimeout(Duration.ofSeconds(1)).build());
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    @AfterEach
    void close() {
        thread.shutdownNow();
        client.close();
        connections.shutdown(0, 1, TimeUnit.SECONDS);
        redis.close();
    }

    @Test
    void aMachineWithoutThreadsForAMomentLosesNoResult() {
        AtomicInteger refused = new AtomicInteger();
        ResultRetries retries = new ResultRetries(client, (topic, target, result, duration) -> {}, task -> {
            if (refused.incrementAndGet() <= RESULTS) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            thread.execute(task);
        });
        redis.kill();
        List<CompletableFuture<Void>> scheduled = new ArrayList<>();
        for (int i = 0; i < RESULTS; i++) {
            scheduled.add(retries.schedule(
                    "hooks",
                    OutgoingMessage.to("results")
                            .id("r" + i)
                            .payload(new byte[] {'1'})
                            .build()));
        }
        assertThat(CompletableFuture.allOf(scheduled.toArray(CompletableFuture[]::new)))
                .succeedsWithin(WAIT);
        assertThat(retries.waiting()).isEqualTo(RESULTS);
        await().atMost(WAIT).until(() -> refused.get() >= RESULTS);

        redis.restart();

        await().atMost(WAIT).until(() -> retries.waiting() == 0);
        TopicStats stats = await().atMost(WAIT)
                .ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                .until(() -> client.stats("results"), told -> true);
        assertThat(stats.totals().accepted()).isEqualTo(RESULTS);
    }
}
