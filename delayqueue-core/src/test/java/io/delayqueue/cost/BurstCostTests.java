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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Commands a message when many are scheduled or due at a time. */
@ExtendWith(EmbeddedRedisExtension.class)
class BurstCostTests {

    private static final int MESSAGES = 1000;
    private static final int THREADS = 8;
    private static final double MOST_PER_MESSAGE = 0.6;

    /** The cheapest of so many counts: callers that a busy machine keeps apart share no batch. */
    private static final int ROUNDS = 4;

    @Test
    void messageConsumedWhileOthersAreScheduledCostsLessThanSixTenthsOfACommand(EmbeddedRedis redis) throws Exception {
        assertCheap(redis, () -> Delay.NONE);
    }

    @Test
    void messageDueTogetherWithOthersCostsLessThanSixTenthsOfACommand(EmbeddedRedis redis) throws Exception {
        assertCheap(redis, () -> Delay.until(Instant.now().plusMillis(1500)));
    }

    private static void assertCheap(EmbeddedRedis redis, Supplier<Delay> due) throws Exception {
        List<Map<String, Integer>> rounds = new ArrayList<>();
        do {
            rounds.add(measure(redis, due.get()));
        } while (perMessage(rounds.get(rounds.size() - 1)) > MOST_PER_MESSAGE && rounds.size() < ROUNDS);

        assertThat(rounds)
                .as("commands a message of the cheapest round")
                .anyMatch(counts -> perMessage(counts) <= MOST_PER_MESSAGE);
    }

    private static double perMessage(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(count -> count).sum() / (double) MESSAGES;
    }

    /** Counts from before the first call until all is acked and the consumer has stopped. */
    private static Map<String, Integer> measure(EmbeddedRedis redis, Delay due) throws Exception {
        try (CountedQueue counted =
                new CountedQueue(redis, TestQueue.clientOptions().build())) {
            long ackedBefore = counted.queue.stats(CountedQueue.TOPIC).totals().acked();
            AtomicInteger handled = new AtomicInteger();
            Subscription subscription = counted.consume(handled);
            counted.monitor.reset();

            counted.scheduleOneByOne(MESSAGES, THREADS, due);
            CountedQueue.awaitHandled(handled, MESSAGES);
            subscription.stop(Duration.ofSeconds(10));

            Map<String, Integer> counts = counted.monitor.counts();
            TopicStats stats = counted.queue.stats(CountedQueue.TOPIC);
            assertThat(stats.totals().acked() - ackedBefore).isEqualTo(MESSAGES);
            assertThat(stats.unaccounted()).isZero();
            return counts;
        }
    }
}
