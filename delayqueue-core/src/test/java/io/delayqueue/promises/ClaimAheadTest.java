package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueue;
import io.delayqueue.MessageState;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages are claimed a little before they are due, here a whole second, and kept until then. */
class ClaimAheadTest {

    private static final Duration SOON = Duration.ofMillis(900);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Deliveries deliveries = new Deliveries(test);

    @Test
    void keptUntilItIsDueAndNotRevocableMeanwhile() throws Exception {
        DelayQueue queue = ahead(Duration.ofSeconds(1));
        TestQueue.consume(queue, TestQueue.options(), deliveries);
        Instant before = test.now();
        queue.schedule(TestQueue.message().id("soon").delay(SOON).build());

        awaitKept(queue);
        assertThat(queue.cancel(TestQueue.TOPIC, "soon")).isEqualTo(CancelOutcome.IN_FLIGHT);
        assertThat(queue.reschedule(TestQueue.TOPIC, "soon", Delay.NONE)).isEqualTo(RescheduleOutcome.IN_FLIGHT);
        assertThat(deliveries.all()).isEmpty();

        Deliveries.Entry delivered = deliveries.next();
        assertThat(delivered.at())
                .isAfterOrEqualTo(before.plus(SOON))
                .isAfterOrEqualTo(delivered.message().due());
        assertThat(delivered.attempt()).isEqualTo(1);
    }

    @Test
    void switchedOffItIsRevocableToTheEnd() throws Exception {
        DelayQueue queue = ahead(Duration.ZERO);
        TestQueue.consume(queue, TestQueue.options(), deliveries);
        queue.schedule(TestQueue.message().id("soon").delay(SOON).build());
        queue.schedule(TestQueue.message().id("now").build());
        deliveries.next();

        assertThat(queue.cancel(TestQueue.TOPIC, "soon")).isEqualTo(CancelOutcome.CANCELLED);
    }

    @Test
    void whatIsDueAtOnceDoesNotWaitForWhatIsKept() throws Exception {
        DelayQueue queue = ahead(Duration.ofSeconds(1));
        TestQueue.consume(queue, TestQueue.options().concurrency(2), deliveries);
        for (int i = 0; i < 5; i++) {
            queue.schedule(
                    TestQueue.message().id("soon" + i).delay(SOON.plusMillis(i)).build());
        }
        awaitKept(queue);
        queue.schedule(TestQueue.message().id("now").build());

        assertThat(deliveries.next().id()).isEqualTo("now");
        test.awaitDrained();
        assertThat(deliveries.ids()).hasSize(6);
    }

    @Test
    void moreAreKeptThanThereArePlacesIfMoreAreDueSoon() throws Exception {
        DelayQueue queue = ahead(Duration.ofSeconds(1));
        TestQueue.consume(queue, TestQueue.options().concurrency(2), deliveries);

        keepFive(queue);

        test.awaitDrained();
        assertThat(deliveries.all()).hasSize(6).allSatisfy(delivered -> {
            assertThat(delivered.at()).isAfterOrEqualTo(delivered.message().due());
            assertThat(delivered.attempt()).isEqualTo(1);
        });
    }

    @Test
    void whatIsDueAndFindsNoPlaceGoesToAnotherConsumer() throws Exception {
        DelayQueue queue = ahead(Duration.ofSeconds(1));
        CountDownLatch end = new CountDownLatch(1);
        Deliveries slow = new Deliveries(test, (message, delivery) -> {
            if (!message.id().equals("now")) {
                end.await();
            }
        });
        TestQueue.consume(queue, TestQueue.options().concurrency(2), slow);
        keepFive(queue);
        TestQueue.consume(ahead(Duration.ZERO), TestQueue.options(), deliveries);

        await().until(() -> deliveries.all().size() == 3);
        end.countDown();
        test.awaitDrained();
        assertThat(slow.all()).hasSize(3);
        assertThat(deliveries.all())
                .hasSize(3)
                .as("given back as it was")
                .allSatisfy(delivered -> assertThat(delivered.attempt()).isEqualTo(1));
    }

    /** The consumer looks, since another one is due at once. */
    private void keepFive(DelayQueue queue) {
        Instant due = test.now().plus(SOON);
        for (int i = 0; i < 5; i++) {
            queue.schedule(TestQueue.message().id("soon" + i).dueAt(due).build());
        }
        queue.schedule(TestQueue.message().id("now").build());
        await().pollInterval(Duration.ofMillis(10))
                .until(() -> queue.stats(TestQueue.TOPIC).inFlight() == 5);
    }

    @Test
    void stoppedWhileItKeepsOneItGivesItBackAsItWas() throws Exception {
        DelayQueue queue = ahead(Duration.ofSeconds(1));
        Subscription subscription = TestQueue.consume(queue, TestQueue.options(), deliveries);
        Instant before = test.now();
        queue.schedule(TestQueue.message().id("soon").delay(SOON).build());
        Instant after = test.now();
        awaitKept(queue);

        assertThat(subscription.stop(Duration.ofSeconds(10))).isTrue();

        assertThat(queue.find(TestQueue.TOPIC, "soon")).hasValueSatisfying(found -> {
            assertThat(found.state()).isIn(MessageState.SCHEDULED, MessageState.READY);
            assertThat(found.due())
                    .isBetween(before.plus(SOON), after.plus(SOON).plusNanos(1000));
            assertThat(found.attempt()).isZero();
        });
        assertThat(deliveries.all()).isEmpty();
        assertThat(queue.cancel(TestQueue.TOPIC, "soon")).isEqualTo(CancelOutcome.CANCELLED);
    }

    private DelayQueue ahead(Duration time) {
        return test.open(options -> options.claimAhead(time));
    }

    private static void awaitKept(DelayQueue queue) {
        await().until(() -> queue.stats(TestQueue.TOPIC).inFlight() > 0);
    }
}
