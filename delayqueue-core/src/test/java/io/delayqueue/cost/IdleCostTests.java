package io.delayqueue.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.delayqueue.testsupport.PlayedTime;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Commands that an idle topic costs. */
@ExtendWith(EmbeddedRedisExtension.class)
class IdleCostTests {

    private static final Duration GUARD = Duration.ofSeconds(1);
    private static final Duration MEASURED = Duration.ofSeconds(5);
    private static final List<String> TOPICS = List.of("empty", "also-empty", "due-tomorrow");

    @Test
    void idleTopicCostsAtMostOneCommandAGuardInterval(EmbeddedRedis redis) throws Exception {
        DelayQueueOptions options =
                TestQueue.clientOptions().guardInterval(GUARD).build();
        try (CountedQueue counted = new CountedQueue(redis, options)) {
            counted.queue.schedule(OutgoingMessage.to("due-tomorrow")
                    .payload(new byte[1])
                    .delay(Duration.ofDays(1))
                    .build());
            List<Subscription> subscriptions =
                    TOPICS.stream().map(topic -> consumer(counted, topic)).toList();
            awaitSubscribed(counted);
            counted.monitor.reset();
            long start = System.nanoTime();

            // the commands within it are measured
            PlayedTime.pass(MEASURED);

            Map<String, Integer> counts = counted.monitor.counts();
            long guards = (System.nanoTime() - start) / GUARD.toNanos();
            // one more for a guard interval that began before
            assertThat(counts.values().stream().mapToInt(count -> count).sum())
                    .as("commands of %s topics in %s guard intervals: %s", TOPICS.size(), guards, counts)
                    .isLessThanOrEqualTo((int) (TOPICS.size() * (guards + 1)))
                    .as("claims by the guard of each topic")
                    .isGreaterThanOrEqualTo(TOPICS.size() * 2);
            assertThat(subscriptions).allMatch(Subscription::isHealthy);
        }
    }

    private static Subscription consumer(CountedQueue counted, String topic) {
        Subscription subscription =
                counted.queue.subscribe(topic, ConsumerOptions.defaults(), (message, delivery) -> {});
        subscription.start();
        return subscription;
    }

    /** Waits for the claim at the start and the one after the subscription to wake-ups; the guard makes all further ones. */
    private static void awaitSubscribed(CountedQueue counted) {
        await().atMost(30, TimeUnit.SECONDS)
                .until(() -> counted.monitor.counts().getOrDefault("subscribe", 0) >= 1
                        && counted.monitor.counts().getOrDefault("evalsha", 0) >= 2 * TOPICS.size());
    }
}
