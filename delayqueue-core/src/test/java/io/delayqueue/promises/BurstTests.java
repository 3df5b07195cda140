package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Thousands of messages due in one instant, and several consumers. */
class BurstTests {

    private static final int CONSUMERS = 3;
    private static final int CHUNK = 10_000;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void twentyThousandMessagesDueInOneMillisecondAreHandledOnceEachAndLeaveNothingBehind() {
        burst(20_000);
    }

    @Test
    @Tag("soak")
    void twoHundredThousandMessagesDueInOneMillisecondAreHandledOnceEachAndLeaveNothingBehind() {
        burst(200_000);
    }

    private void burst(int count) {
        Map<String, Integer> handled = new ConcurrentHashMap<>();
        Map<Integer, Integer> byConsumer = new ConcurrentHashMap<>();
        Instant due = test.now().plusMillis(500);
        for (int from = 0; from < count; from += CHUNK) {
            test.queue()
                    .scheduleAll(IntStream.range(from, from + CHUNK)
                            .mapToObj(i ->
                                    TestQueue.message().id("m" + i).dueAt(due).build())
                            .toList());
        }
        test.awaitTime(due);
        assertThat(test.stats().pending().ready()).isEqualTo(count);

        for (int i = 0; i < CONSUMERS; i++) {
            int consumer = i;
            TestQueue.consume(
                    test.open(options -> options), TestQueue.options().concurrency(64), (message, delivery) -> {
                        handled.merge(message.id(), 1, Integer::sum);
                        byConsumer.merge(consumer, 1, Integer::sum);
                    });
        }

        TestQueue.await().atMost(Duration.ofSeconds(50)).until(() -> handled.size() == count);
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(count);
        assertThat(handled.values()).containsOnly(1);
        assertThat(byConsumer).hasSize(CONSUMERS);
    }
}
