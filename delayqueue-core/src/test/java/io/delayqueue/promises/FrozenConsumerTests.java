package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.MessageState;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Promise 4: a process frozen beyond its lease (a long GC, a suspended VM) can no longer settle its messages when it resumes. */
@DisabledOnOs(OS.WINDOWS)
class FrozenConsumerTests {

    private static final int LEASE_MILLIS = 1000;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final CountDownLatch mayFinish = new CountDownLatch(1);

    @ParameterizedTest
    @ValueSource(strings = {"return", "throw", "dead-letter"})
    void outcomeOfAThawedConsumerIsRefusedWhileAnotherHandlesTheMessage(String ending) throws Exception {
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> mayFinish.await());
        try (ChildConsumer zombie = ChildConsumer.holding(test, LEASE_MILLIS, 3)) {
            test.schedule("message");
            zombie.next("handling");
            test.consume(TestQueue.options(), deliveries);
            zombie.pause();
            assertThat(deliveries.next().attempt()).isEqualTo(2);

            zombie.endHandler(ending);
            zombie.resume();

            assertThat(zombie.untilSettled())
                    .extracting(ChildConsumer.Event::type)
                    .containsExactlyInAnyOrder("knowsItsLeaseIsLost", "leaseLost");
            assertThat(test.queue().find(TestQueue.TOPIC, "message")).hasValueSatisfying(info -> {
                assertThat(info.state()).isEqualTo(MessageState.IN_FLIGHT);
                assertThat(info.attempt()).isEqualTo(2);
            });
            mayFinish.countDown();
            TopicStats stats = test.awaitDrained();
            assertThat(stats.totals().acked()).isEqualTo(1);
            assertThat(stats.totals().retried()).isEqualTo(1);
            assertThat(stats.totals().deadLettered()).isZero();
        }
        assertThat(deliveries.all()).hasSize(1);
    }
}
