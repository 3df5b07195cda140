package io.delayqueue.cost;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.testsupport.ClaimCounter;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    /** Claims a message; about one where all come in time. */
    private static final double MOST = 1.8;

    /** A machine that is too busy for the consumers to come in time makes others claim as well. */
    private static final int ROUNDS = 3;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Map<String, Integer> consumerOf = new ConcurrentHashMap<>();
    private final ClaimCounter claims = new ClaimCounter();

    /** Ten messages a second. Without an agreement, each of the ten claims each message. */
    @Test
    void fewClaimsAreInVain() {
        for (int i = 0; i < CONSUMERS; i++) {
            int consumer = i;
            DelayQueueClient process = test.open(options -> options.observer(claims));
            TestQueue.consume(
                    process, TestQueue.options(), (message, delivery) -> consumerOf.put(message.id(), consumer));
        }

        List<Double> claimsOfRounds = new ArrayList<>();
        while (claimsOfRounds.size() < ROUNDS && claimsOfRounds.stream().noneMatch(each -> each < MOST)) {
            claimsOfRounds.add(claimsAMessage("round" + claimsOfRounds.size()));
        }

        assertThat(claimsOfRounds).as("claims a message in each round").anyMatch(each -> each < MOST);
        assertThat(Set.copyOf(consumerOf.values()))
                .as("consumers that had a message: %s", consumerOf)
                .hasSizeGreaterThan(2);
    }

    private double claimsAMessage(String round) {
        int before = consumerOf.size();
        test.queue()
                .scheduleAll(IntStream.range(0, MESSAGES)
                        .mapToObj(i -> TestQueue.message()
                                .id(round + "-" + i)
                                .delay(Duration.ofMillis(500 + 100L * i))
                                .build())
                        .toList());
        // the wake-up for the first one reaches all
        TestQueue.await().until(() -> consumerOf.size() > before);
        int claimsBefore = claims.answered();
        int handledBefore = consumerOf.size();

        TestQueue.await().until(() -> consumerOf.size() == before + MESSAGES);

        return (claims.answered() - claimsBefore) / (double) (before + MESSAGES - handledBefore);
    }
}
