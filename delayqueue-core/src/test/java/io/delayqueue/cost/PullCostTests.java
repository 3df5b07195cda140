package io.delayqueue.cost;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.delayqueue.testsupport.PlayedTime;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Commands that a pull consumer costs. */
@ExtendWith(EmbeddedRedisExtension.class)
class PullCostTests {

    private static final Duration GUARD = Duration.ofMillis(500);
    private static final Duration MEASURED = Duration.ofSeconds(3);

    @Test
    void nothingIsAskedOfRedisWhileNobodyWaits(EmbeddedRedis redis) throws Exception {
        try (CountedQueue counted = new CountedQueue(redis, options())) {
            PullConsumer pull = counted.queue.pullConsumer("idle", PullOptions.defaults());
            awaitSubscribed(counted, pull);
            counted.monitor.reset();

            // the commands within it are measured
            PlayedTime.pass(MEASURED);

            assertThat(counted.monitor.counts()).isEmpty();
        }
    }

    @Test
    void aThousandCallsThatWaitCostNoMoreThanAListener(EmbeddedRedis redis) throws Exception {
        try (CountedQueue counted = new CountedQueue(redis, options())) {
            PullConsumer pull = counted.queue.pullConsumer("waited-for", PullOptions.defaults());
            awaitSubscribed(counted, pull);
            var calls = Stream.generate(() -> pull.receiveAsync(10, Duration.ofMinutes(1)))
                    .limit(1000)
                    .toList();
            counted.monitor.reset();
            long start = System.nanoTime();

            PlayedTime.pass(MEASURED);

            Map<String, Integer> counts = counted.monitor.counts();
            long guards = (System.nanoTime() - start) / GUARD.toNanos();
            assertThat(counts.values().stream().mapToInt(count -> count).sum())
                    .as("commands in %s guard intervals: %s", guards, counts)
                    .isBetween(2, (int) guards + 2);
            assertThat(calls).noneMatch(call -> call.isDone());
        }
    }

    /** Waits for the connection of the wake-ups, and for the claim that follows. */
    private static void awaitSubscribed(CountedQueue counted, PullConsumer pull) {
        TestQueue.await()
                .until(() -> pull.receive(10, Duration.ofMillis(100)).isEmpty()
                        && counted.monitor.counts().getOrDefault("subscribe", 0) >= 1);
        assertThat(pull.receive(10, Duration.ofMillis(300))).isEmpty();
    }

    private static DelayQueueOptions options() {
        return TestQueue.clientOptions().guardInterval(GUARD).build();
    }
}
