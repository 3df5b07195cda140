package io.delayqueue.cost;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Commands a message when many are scheduled or due at a time. */
@ExtendWith(EmbeddedRedisExtension.class)
class BurstCostTests {

    private static final int MESSAGES = 1000;
    private static final int THREADS = 8;
    private static final double MOST_PER_MESSAGE = 0.6;

    @Test
    void messageConsumedWhileOthersAreScheduledCostsLessThanSixTenthsOfACommand(EmbeddedRedis redis) throws Exception {
        measure(redis, Delay.NONE);
    }

    @Test
    void messageDueTogetherWithOthersCostsLessThanSixTenthsOfACommand(EmbeddedRedis redis) throws Exception {
        measure(redis, Delay.until(Instant.now().plusMillis(1500)));
    }

    /** Counts from before the first call until all is acked and the consumer has stopped. */
    private static void measure(EmbeddedRedis redis, Delay due) throws Exception {
        try (CountedQueue counted =
                new CountedQueue(redis, TestQueue.clientOptions().build())) {
            AtomicInteger handled = new AtomicInteger();
            Subscription subscription = counted.consume(handled);
            counted.monitor.reset();

            counted.scheduleOneByOne(MESSAGES, THREADS, due);
            CountedQueue.awaitHandled(handled, MESSAGES);
            subscription.stop(Duration.ofSeconds(10));

            Map<String, Integer> counts = counted.monitor.counts();
            double perMessage =
                    counts.values().stream().mapToInt(count -> count).sum() / (double) MESSAGES;
            assertThat(perMessage).as("commands a message, of %s", counts).isLessThanOrEqualTo(MOST_PER_MESSAGE);
            TopicStats stats = counted.queue.stats(CountedQueue.TOPIC);
            assertThat(stats.totals().acked()).isEqualTo(MESSAGES);
            assertThat(stats.unaccounted()).isZero();
        }
    }
}
