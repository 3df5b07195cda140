package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise 6: a message that is not in flight can be cancelled or rescheduled, and the answer is true. */
class RevocationTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void scheduledMessageIsCancelledOnce() {
        test.queue()
                .schedule(TestQueue.message().id("a").delay(Duration.ofHours(1)).build());

        assertThat(test.queue().cancel(TestQueue.TOPIC, "a")).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(test.queue().cancel(TestQueue.TOPIC, "a")).isEqualTo(CancelOutcome.NOT_FOUND);

        assertThat(test.awaitDrained().totals().cancelled()).isEqualTo(1);
    }

    @Test
    void messageOfAnyPriorityIsCancelled() {
        for (int priority = 0; priority <= 9; priority++) {
            test.queue()
                    .schedule(TestQueue.message()
                            .id("p" + priority)
                            .priority(priority)
                            .build());
            assertThat(test.queue().cancel(TestQueue.TOPIC, "p" + priority)).isEqualTo(CancelOutcome.CANCELLED);
        }

        assertThat(test.awaitDrained().totals().cancelled()).isEqualTo(10);
    }

    @Test
    void messageInFlightCanNeitherBeCancelledNorRescheduled() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> mayEnd.await());
        test.consume(TestQueue.options(), deliveries);
        test.schedule("a");
        deliveries.next();

        assertThat(test.queue().cancel(TestQueue.TOPIC, "a")).isEqualTo(CancelOutcome.IN_FLIGHT);
        assertThat(test.queue().reschedule(TestQueue.TOPIC, "a", Delay.NONE)).isEqualTo(RescheduleOutcome.IN_FLIGHT);

        mayEnd.countDown();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(test.queue().cancel(TestQueue.TOPIC, "a")).isEqualTo(CancelOutcome.NOT_FOUND);
        assertThat(test.queue().reschedule(TestQueue.TOPIC, "a", Delay.NONE)).isEqualTo(RescheduleOutcome.NOT_FOUND);
        assertThat(deliveries.all()).hasSize(1);
    }

    @Test
    void deadMessageIsRescheduled() throws Exception {
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> delivery.deadLetter("no"));
        test.consume(TestQueue.options(), deliveries);
        test.schedule("a");
        deliveries.next();
        TestQueue.await().until(() -> test.stats().dead() == 1);

        assertThat(test.queue().reschedule(TestQueue.TOPIC, "a", Delay.NONE)).isEqualTo(RescheduleOutcome.RESCHEDULED);

        assertThat(deliveries.next().attempt()).isEqualTo(1);
        TestQueue.await().until(() -> test.stats().totals().deadLettered() == 2);
    }

    @Test
    void unknownMessageIsNotFound() {
        assertThat(test.queue().cancel("no-such-topic", "a")).isEqualTo(CancelOutcome.NOT_FOUND);
        assertThat(test.queue().reschedule("no-such-topic", "a", Delay.NONE)).isEqualTo(RescheduleOutcome.NOT_FOUND);
        assertThat(test.redis().keys("*")).isEmpty();
    }
}
