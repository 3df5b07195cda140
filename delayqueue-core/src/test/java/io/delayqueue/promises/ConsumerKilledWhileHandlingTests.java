package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DeadLetter;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promises 1 and 5: a message outlives the process that handled it; one that kills its consumers is dead-lettered. */
class ConsumerKilledWhileHandlingTests {

    private static final int LEASE_MILLIS = 1000;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void anotherConsumerGetsTheMessageAsItsSecondAttempt() throws Exception {
        Deliveries deliveries = new Deliveries(test);
        try (ChildConsumer child = ChildConsumer.holding(test, LEASE_MILLIS, 3)) {
            test.schedule("survivor");
            assertThat(child.next("handling").attempt()).isEqualTo(1);
            test.consume(TestQueue.options(), deliveries);
            child.kill();
        }

        Deliveries.Entry again = deliveries.nextOnTime();

        assertThat(again.id()).isEqualTo("survivor");
        assertThat(again.attempt()).isEqualTo(2);
        assertThat(test.awaitDrained())
                .satisfies(stats -> assertThat(stats.totals().acked()).isEqualTo(1))
                .satisfies(stats -> assertThat(stats.totals().retried()).isEqualTo(1));
    }

    @Test
    void messageThatKillsEachOfItsConsumersIsDeadLettered() throws Exception {
        test.queue().schedule(TestQueue.message().id("killer").header("k", "v").build());
        for (int attempt = 1; attempt <= 2; attempt++) {
            // killed before its first renewal, after which it is not blamed for the death
            try (ChildConsumer child = ChildConsumer.holding(test, 60_000, 2)) {
                assertThat(child.next("handling").attempt()).isEqualTo(attempt);
                child.kill();
            }
            test.expireLeaseOf("killer");
        }
        Deliveries deliveries = new Deliveries(test);

        test.consume(TestQueue.options().lease(Duration.ofMillis(LEASE_MILLIS)).maxAttempts(2), deliveries);

        TestQueue.await().until(() -> test.stats().dead() == 1);
        DeadLetter dead = test.queue().deadLetters(TestQueue.TOPIC).list(0, 10).get(0);
        assertThat(dead.id()).isEqualTo("killer");
        assertThat(dead.attempts()).isEqualTo(2);
        assertThat(dead.error()).contains("lease expired").contains("crashed");
        assertThat(dead.headers()).containsEntry("k", "v");
        assertThat(deliveries.all()).isEmpty();
    }
}
