package io.delayqueue.cost;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Script calls of ten processes that wait for messages of one topic. */
class ManyConsumersCostTests {

    private static final int CONSUMERS = 10;
    private static final int MESSAGES = 30;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Map<String, Integer> consumerOf = new ConcurrentHashMap<>();

    /** Ten a second. Without an agreement, each of them claims each message: that makes ten claims and an ack of each. */
    @Test
    void fewClaimsAreInVain() throws Exception {
        for (int i = 0; i < CONSUMERS; i++) {
            int consumer = i;
            DelayQueueClient process = test.open(options -> options);
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
        try (RedisProbe probe = new RedisProbe(test.server())) {
            TestQueue.await().until(() -> consumerOf.size() >= 1);
            int handledBefore = consumerOf.size();
            probe.resetStats();

            test.awaitAcked(MESSAGES);

            long calls = probe.scriptCalls();
            assertThat(calls / (double) (MESSAGES - handledBefore))
                    .as("script calls a message: %s", probe.calls())
                    .isLessThan(5);
        }
        assertThat(Set.copyOf(consumerOf.values()))
                .as("consumers that had a message: %s", consumerOf)
                .hasSizeGreaterThan(2);
    }
}
