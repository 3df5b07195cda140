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
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Early claims: a consumer claims messages before they are due, here up to a second, and holds them until then. */
class ClaimAheadTests {

    private static final Duration SOON = Duration.ofMillis(900);

    /** A library that claims too late fails each of them. */
    private static final int MOST_ROUNDS = 15;

    /** After this many calls that return at once, the consumer knows that its handlers are quick. */
    private static final int QUICK_CALLS = 100;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Deliveries deliveries = new Deliveries(test);

    @Test
    void messageClaimedEarlyIsHeldUntilItIsDueAndCannotBeRevoked() throws Exception {
        DelayQueueClient queue = claimingAhead(Duration.ofSeconds(1));
        TestQueue.consume(queue, TestQueue.options(), deliveries);
        OutgoingMessage soon;
        Instant due;
        CancelOutcome cancelled;
        RescheduleOutcome rescheduled;
        List<String> begun;
        int round = 0;
        do {
            beginRound(round++);
            due = test.now().plus(SOON);
            soon = TestQueue.message().dueAt(due).build();
            queue.schedule(soon);
            awaitClaimed(queue, soon.id());
            cancelled = queue.cancel(TestQueue.TOPIC, soon.id());
            rescheduled = queue.reschedule(TestQueue.TOPIC, soon.id(), Delay.NONE);
            begun = deliveries.ids();
        } while (test.now().isAfter(due));

        assertThat(cancelled).isEqualTo(CancelOutcome.IN_FLIGHT);
        assertThat(rescheduled).isEqualTo(RescheduleOutcome.IN_FLIGHT);
        assertThat(begun).doesNotContain(soon.id());
        Instant asked = due;
        test.awaitDrained();
        assertThat(deliveries.of(soon.id()))
                .singleElement()
                .satisfies(delivered -> assertThat(delivered.at())
                        .isAfterOrEqualTo(delivered.message().due()))
                .satisfies(delivered -> assertThat(delivered.attempt()).isEqualTo(1))
                .satisfies(delivered -> assertThat(delivered.message().due()).isEqualTo(asked));
    }

    @Test
    void withoutEarlyClaimsAMessageCanBeRevokedUntilItIsDue() throws Exception {
        DelayQueueClient queue = claimingAhead(Duration.ZERO);
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
    void messageDueNowDoesNotWaitForMessagesClaimedEarly() throws Exception {
        DelayQueueClient queue = claimingAhead(Duration.ofSeconds(1));
        TestQueue.consume(queue, TestQueue.options().concurrency(2), deliveries);
        Instant due;
        Instant delivered;
        int round = 0;
        do {
            beginRound(round);
            String prefix = "soon" + round;
            due = test.now().plus(SOON);
            for (int i = 0; i < 5; i++) {
                queue.schedule(TestQueue.message()
                        .id(prefix + i)
                        .dueAt(due.plusMillis(i))
                        .build());
            }
            awaitClaimed(queue, prefix + 0);
            String now = "now" + round++;
            queue.schedule(TestQueue.message().id(now).build());
            test.awaitDrained();
            delivered = deliveries.of(now).get(0).at();
        } while (delivered.isAfter(due));

        assertThat(deliveries.ids()).hasSize(6 * round).doesNotHaveDuplicates();
    }

    @Test
    void consumerWithQuickHandlersClaimsMoreThanItHasSlots() throws Exception {
        DelayQueueClient queue = claimingAhead(Duration.ofSeconds(1));
        TestQueue.consume(queue, TestQueue.options().concurrency(4), deliveries);

        claimFiveEarly(queue);

        test.awaitDrained();
        assertThat(deliveries.all()).allSatisfy(delivered -> {
            assertThat(delivered.at()).isAfterOrEqualTo(delivered.message().due());
            assertThat(delivered.attempt()).isEqualTo(1);
        });
    }

    @Test
    void messageClaimedEarlyThatGetsNoSlotGoesToAnotherConsumer() throws Exception {
        goesToAnotherConsumer(claimingAhead(Duration.ofSeconds(1)), SOON);
    }

    @Test
    void dueMessageThatGetsNoSlotGoesToAnotherConsumer() throws Exception {
        goesToAnotherConsumer(claimingAhead(Duration.ZERO), Duration.ZERO);
    }

    /** Handlers were quick, so that the consumer claims five messages for four slots; now they are slow. */
    private void goesToAnotherConsumer(DelayQueueClient queue, Duration delay) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Deliveries slow = new Deliveries(test, (message, delivery) -> {
            if (message.id().startsWith("slow")) {
                end.await();
            }
        });
        TestQueue.consume(queue, TestQueue.options().concurrency(4), slow);
        handleManyQuickly(queue);
        Instant due = test.now().plus(delay);
        queue.scheduleAll(IntStream.range(0, 5)
                .mapToObj(i -> TestQueue.message().id("slow" + i).dueAt(due).build())
                .toList());
        await().until(() -> slow.all().size() == QUICK_CALLS + 4);
        TestQueue.consume(claimingAhead(Duration.ZERO), TestQueue.options(), deliveries);

        await().until(() -> deliveries.all().size() == 1);
        end.countDown();
        test.awaitDrained();
        assertThat(slow.all()).hasSize(QUICK_CALLS + 4);
        assertThat(deliveries.all().get(0).attempt())
                .as("attempt of the released message")
                .isEqualTo(1);
    }

    /** Repeats it if a busy machine made the handlers slow. The message that is due now makes the consumer claim. */
    private void claimFiveEarly(DelayQueueClient queue) {
        do {
            handleManyQuickly(queue);
            Instant due = test.now().plus(SOON);
            queue.scheduleAll(
                    Stream.generate(() -> TestQueue.message().dueAt(due).build())
                            .limit(5)
                            .toList());
            queue.schedule(TestQueue.message().build());
        } while (!areInFlight(queue, 5));
    }

    private static boolean areInFlight(DelayQueueClient queue, int count) {
        await().pollInterval(Duration.ofMillis(10)).until(() -> {
            TopicStats stats = queue.stats(TestQueue.TOPIC);
            return stats.inFlight() == count
                    || stats.pending().scheduled() + stats.pending().ready() + stats.inFlight() == 0;
        });
        return queue.stats(TestQueue.TOPIC).inFlight() == count;
    }

    private void handleManyQuickly(DelayQueueClient queue) {
        queue.scheduleAll(Stream.generate(() -> TestQueue.message().build())
                .limit(QUICK_CALLS)
                .toList());
        test.awaitDrained();
    }

    @Test
    void stopReleasesAMessageClaimedEarlyUnchanged() throws Exception {
        DelayQueueClient queue = claimingAhead(Duration.ofSeconds(1));
        OutgoingMessage soon;
        Instant due;
        int round = 0;
        do {
            beginRound(round++);
            Subscription subscription = TestQueue.consume(queue, TestQueue.options(), deliveries);
            due = test.now().plus(SOON);
            soon = TestQueue.message().dueAt(due).build();
            queue.schedule(soon);
            awaitClaimed(queue, soon.id());
            assertThat(subscription.stop(Duration.ofSeconds(10))).isTrue();
        } while (test.now().isAfter(due));

        Instant unchanged = due;
        assertThat(queue.find(TestQueue.TOPIC, soon.id())).hasValueSatisfying(found -> {
            assertThat(found.state()).isIn(MessageState.SCHEDULED, MessageState.READY);
            assertThat(found.due()).isEqualTo(unchanged);
            assertThat(found.attempt()).isZero();
        });
        assertThat(deliveries.ids()).doesNotContain(soon.id());
        assertThat(queue.cancel(TestQueue.TOPIC, soon.id())).isEqualTo(CancelOutcome.CANCELLED);
    }

    private DelayQueueClient claimingAhead(Duration time) {
        return test.open(options -> options.claimAhead(time));
    }

    /** A test that must end before a message is due repeats itself on a busy machine. */
    private void beginRound(int round) {
        assertThat(round).as("rounds that took longer than %s", SOON).isLessThan(MOST_ROUNDS);
    }

    /** Waits until the message is in flight, or was. */
    private static void awaitClaimed(DelayQueueClient queue, String id) {
        TestQueue.await()
                .until(() -> queue.find(TestQueue.TOPIC, id)
                        .map(found -> found.state() == MessageState.IN_FLIGHT)
                        .orElse(true));
    }
}
