package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise 1: processes killed at any moment, with messages in every state, lose none. */
@Tag("slow")
class ConsumerKilledWhileClaimingTests {

    /** More than the children handle before their kills, which come later on a busy machine. */
    private static final int MESSAGES = 6000;

    private static final int LEASE_MILLIS = 1000;
    private static final int MOST_ATTEMPTS = 100;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Map<String, Integer> lastAttempts = new HashMap<>();

    @Test
    void nothingIsLostAndEachLostLeaseIsCountedAsAnAttempt() throws Exception {
        Random random = new Random();
        test.queue()
                .scheduleAll(IntStream.range(0, MESSAGES)
                        .mapToObj(i -> TestQueue.message()
                                .id("m" + i)
                                .delay(Duration.ofMillis(i))
                                .build())
                        .toList());

        for (int kills = 0; kills < 4; kills++) {
            try (ChildConsumer child = ChildConsumer.working(test, LEASE_MILLIS, MOST_ATTEMPTS)) {
                int handledBefore = 1 + random.nextInt(600);
                for (int i = 0; i < handledBefore; i++) {
                    note(child.next("handling"));
                }
                child.kill();
                child.rest().forEach(this::note);
            }
        }
        Deliveries deliveries = new Deliveries(test);
        test.consume(TestQueue.options().maxAttempts(MOST_ATTEMPTS), deliveries);

        TopicStats stats = test.awaitDrained();
        deliveries.all().forEach(entry -> note(entry.id(), entry.attempt()));
        assertThat(stats.totals().acked()).isEqualTo(MESSAGES);
        assertThat(lastAttempts).hasSize(MESSAGES);
        assertThat(deliveries.all()).isNotEmpty();
        assertThat(stats.totals().retried()).as("leases lost by the kills").isPositive();
        assertThat(lastAttempts.values().stream()
                        .mapToLong(attempt -> attempt - 1)
                        .sum())
                .isEqualTo(stats.totals().retried());
    }

    private void note(ChildConsumer.Event event) {
        if (List.of("handling", "acked").contains(event.type())) {
            note(event.id(), event.attempt());
        }
    }

    private void note(String id, int attempt) {
        lastAttempts.merge(id, attempt, Math::max);
    }
}
