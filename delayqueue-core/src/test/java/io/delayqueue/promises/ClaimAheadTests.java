package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages are claimed a little before they are due, here a whole second, and kept until then. */
class ClaimAheadTests {

    private static final Duration SOON = Duration.ofMillis(900);

    /** So many handlers that end at once show that they are quick. */
    private static final int QUICK = 100;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Deliveries deliveries = new Deliveries(test);

    @Test
    void keptUntilItIsDueAndNotRevocableMeanwhile() throws Exception {
        DelayQueueClient queue = ahead(Duration.ofSeconds(1));
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
        DelayQueueClient queue = ahead(Duration.ZERO);
        TestQueue.consume(queue, TestQueue.options(), deliveries);
        Instant due;
        CancelOutcome outcome;
        do {
            due = test.now().plus(SOON);
            OutgoingMessage soon = TestQueue.message().dueAt(due).build();
            queue.schedule(soon);
            queue.schedule(TestQueue.message().build());
            deliveries.next();
            outcome = queue.cancel(TestQueue.TOPIC, soon.id());
        } while (test.now().isAfter(due));

        assertThat(outcome).isEqualTo(CancelOutcome.CANCELLED);
    }

    @Test
    void whatIsDueAtOnceDoesNotWaitForWhatIsKept() throws Exception {
        DelayQueueClient queue = ahead(Duration.ofSeconds(1));
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
    void moreAreKeptThanThereArePlacesIfHandlersAreQuick() throws Exception {
        DelayQueueClient queue = ahead(Duration.ofSeconds(1));
        TestQueue.consume(queue, TestQueue.options().concurrency(4), deliveries);

        keepFive(queue);

        test.awaitDrained();
        assertThat(deliveries.all()).allSatisfy(delivered -> {
            assertThat(delivered.at()).isAfterOrEqualTo(delivered.message().due());
            assertThat(delivered.attempt()).isEqualTo(1);
        });
    }

    @Test
    void whatIsKeptAndFindsNoPlaceGoesToAnotherConsumer() throws Exception {
        goesToAnotherConsumer(ahead(Duration.ofSeconds(1)), SOON);
    }

    @Test
    void whatIsDueAndFindsNoPlaceGoesToAnotherConsumer() throws Exception {
        goesToAnotherConsumer(ahead(Duration.ZERO), Duration.ZERO);
    }

    /** Handlers were quick, so that five are claimed for four places, and now they are slow. */
    private void goesToAnotherConsumer(DelayQueueClient queue, Duration delay) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Deliveries slow = new Deliveries(test, (message, delivery) -> {
            if (message.id().startsWith("slow")) {
                end.await();
            }
        });
        TestQueue.consume(queue, TestQueue.options().concurrency(4), slow);
        beQuick(queue);
        Instant due = test.now().plus(delay);
        queue.scheduleAll(IntStream.range(0, 5)
                .mapToObj(i -> TestQueue.message().id("slow" + i).dueAt(due).build())
                .toList());
        await().until(() -> slow.all().size() == QUICK + 4);
        TestQueue.consume(ahead(Duration.ZERO), TestQueue.options(), deliveries);

        await().until(() -> deliveries.all().size() == 1);
        end.countDown();
        test.awaitDrained();
        assertThat(slow.all()).hasSize(QUICK + 4);
        assertThat(deliveries.all().get(0).attempt()).as("given back as it was").isEqualTo(1);
    }

    /** Tried again if a machine that is busy with other things makes handlers slow. The consumer looks, since one is due at once. */
    private void keepFive(DelayQueueClient queue) {
        do {
            beQuick(queue);
            Instant due = test.now().plus(SOON);
            queue.scheduleAll(
                    Stream.generate(() -> TestQueue.message().dueAt(due).build())
                            .limit(5)
                            .toList());
            queue.schedule(TestQueue.message().build());
        } while (!areKept(queue, 5));
    }

    private static boolean areKept(DelayQueueClient queue, int count) {
        await().pollInterval(Duration.ofMillis(10)).until(() -> {
            TopicStats stats = queue.stats(TestQueue.TOPIC);
            return stats.inFlight() == count
                    || stats.pending().scheduled() + stats.pending().ready() + stats.inFlight() == 0;
        });
        return queue.stats(TestQueue.TOPIC).inFlight() == count;
    }

    private void beQuick(DelayQueueClient queue) {
        queue.scheduleAll(
                Stream.generate(() -> TestQueue.message().build()).limit(QUICK).toList());
        test.awaitDrained();
    }

    @Test
    void stoppedWhileItKeepsOneItGivesItBackAsItWas() throws Exception {
        DelayQueueClient queue = ahead(Duration.ofSeconds(1));
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

    private DelayQueueClient ahead(Duration time) {
        return test.open(options -> options.claimAhead(time));
    }

    private static void awaitKept(DelayQueueClient queue) {
        await().until(() -> queue.stats(TestQueue.TOPIC).inFlight() > 0);
    }
}
