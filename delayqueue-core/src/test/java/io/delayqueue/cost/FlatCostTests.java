package io.delayqueue.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The cost of a message does not depend on the number of pending ones. */
@ExtendWith(EmbeddedRedisExtension.class)
class FlatCostTests {

    private static final int PENDING = 50_000;
    private static final int MESSAGES = 200;
    private static final int CHUNK = 10_000;
    private static final int ROUNDS = 4;

    /**
     * One message at a time, so that the number of scripts is the same. A loop over pending messages would show in the number
     * of commands inside the scripts.
     */
    @Test
    void messageCostsTheSameCommandsWithManyOthersPending(EmbeddedRedis redis) throws Exception {
        try (CountedQueue counted =
                new CountedQueue(redis, TestQueue.clientOptions().build())) {
            double alone = fewestCommandsPerMessage(counted);
            counted.queue.scheduleAll(IntStream.range(0, PENDING)
                    .mapToObj(i -> OutgoingMessage.to(CountedQueue.TOPIC)
                            .payload(new byte[10])
                            .delay(Duration.ofDays(1))
                            .build())
                    .toList());
            double amongMany = fewestCommandsPerMessage(counted);

            assertThat(counted.queue.stats(CountedQueue.TOPIC).pending().total())
                    .isEqualTo(PENDING);
            assertThat(amongMany / alone)
                    .as("%s commands a message alone, %s among many", alone, amongMany)
                    .isBetween(0.8, 1.25);
        }
    }

    /** The cheaper of two rounds: a busy machine may make further claims out of one. */
    private static double fewestCommandsPerMessage(CountedQueue counted) throws Exception {
        return Math.min(commandsPerMessage(counted), commandsPerMessage(counted));
    }

    private static double commandsPerMessage(CountedQueue counted) throws Exception {
        AtomicInteger handled = new AtomicInteger();
        Subscription subscription = counted.consume(handled);
        counted.probe.resetStats();
        for (int i = 1; i <= MESSAGES; i++) {
            counted.scheduleOneByOne(1, 1, Delay.NONE);
            CountedQueue.awaitHandled(handled, i);
        }
        subscription.stop(Duration.ofSeconds(10));
        Map<String, Long> calls = counted.probe.calls();
        return calls.values().stream().mapToLong(count -> count).sum() / (double) MESSAGES;
    }

    @Test
    void cancelCostsTheSameCommandsWithManyOthersPending(EmbeddedRedis redis) throws Exception {
        assertCancelIsFlat(redis, PENDING);
    }

    @Test
    @Tag("soak")
    void cancelCostsTheSameWithAMillionPending(EmbeddedRedis redis) throws Exception {
        assertCancelIsFlat(redis, 1_000_000);
    }

    /** Commands are exact; the time they take in Redis grows with the logarithm of the number at most. */
    private static void assertCancelIsFlat(EmbeddedRedis redis, int pending) throws Exception {
        try (CountedQueue counted =
                new CountedQueue(redis, TestQueue.clientOptions().build())) {
            Cost alone = costOfCancel(counted);
            for (int from = 0; from < pending; from += CHUNK) {
                counted.queue.scheduleAll(IntStream.range(0, CHUNK)
                        .mapToObj(i -> OutgoingMessage.to(CountedQueue.TOPIC)
                                .payload(new byte[10])
                                .delay(Duration.ofDays(1))
                                .build())
                        .toList());
            }
            Cost amongMany = costOfCancel(counted);

            assertThat(counted.queue.stats(CountedQueue.TOPIC).pending().total())
                    .isEqualTo(pending);
            assertThat(amongMany.commands()).isCloseTo(alone.commands(), within(0.1));
            assertThat(amongMany.micros())
                    .as("µs of a cancel among %d; alone %s", pending, alone)
                    .isLessThan(5 * alone.micros() + 20);
        }
    }

    /** The quickest of some rounds: a busy machine stops Redis within a script. */
    private static Cost costOfCancel(CountedQueue counted) {
        return IntStream.range(0, ROUNDS)
                .mapToObj(round -> costOfCancels(counted))
                .min(Comparator.comparing(Cost::micros))
                .orElseThrow();
    }

    private static Cost costOfCancels(CountedQueue counted) {
        for (int i = 0; i < MESSAGES; i++) {
            counted.queue.schedule(CountedQueue.message()
                    .id("cancelled" + i)
                    .delay(Duration.ofHours(1))
                    .build());
        }
        counted.probe.resetStats();
        for (int i = 0; i < MESSAGES; i++) {
            assertThat(counted.queue.cancel(CountedQueue.TOPIC, "cancelled" + i))
                    .isEqualTo(CancelOutcome.CANCELLED);
        }
        long commands = counted.probe.calls().entrySet().stream()
                .filter(command ->
                        !List.of("info", "config|resetstat", "config").contains(command.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
        return new Cost(commands / (double) MESSAGES, counted.probe.scriptMicros() / (double) MESSAGES);
    }

    private record Cost(double commands, double micros) {}
}
