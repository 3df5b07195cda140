package io.delayqueue.cost;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.testsupport.ClaimCounter;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Claims of ten processes that wait for messages of one topic. */
class ManyConsumersCostTests {

    private static final int CONSUMERS = 10;
    private static final int MESSAGES = 30;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Map<String, Integer> consumerOf = new ConcurrentHashMap<>();

    /** Ten a second. Without an agreement, each of the ten claims each message. */
    @Test
    void fewClaimsAreInVain() {
        ClaimCounter claims = new ClaimCounter();
        for (int i = 0; i < CONSUMERS; i++) {
            int consumer = i;
            DelayQueueClient process = test.open(options -> options.observer(claims));
            TestQueue.consume(
                    process, TestQueue.options(), (message, delivery) -> consumerOf.put(message.id(), consumer));
        }
        test.queue()
                .scheduleAll(IntStream.range(0, MESSAGES)
                        .mapToObj(i -> TestQueue.message()
                                .id("m" + i)
                                .delay(Duration.ofMillis(500 + 100L * i))
                                .build())
                        .toList());
        // the wake-up for the first one reaches all
        TestQueue.await().until(() -> !consumerOf.isEmpty());
        int claimsBefore = claims.answered();
        int handledBefore = consumerOf.size();

        TestQueue.await().until(() -> consumerOf.size() == MESSAGES);

        assertThat((claims.answered() - claimsBefore) / (double) (MESSAGES - handledBefore))
                .as("claims a message")
                .isLessThan(3);
        assertThat(Set.copyOf(consumerOf.values()))
                .as("consumers that had a message: %s", consumerOf)
                .hasSizeGreaterThan(2);
    }
}
