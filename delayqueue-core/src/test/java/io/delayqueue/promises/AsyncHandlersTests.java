package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.MessageHandler;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.NewThreads;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Handlers that return a stage are treated as those that block, and keep no thread. */
class AsyncHandlersTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final NewThreads threads = new NewThreads();
    private final Queue<CompletableFuture<String>> stages = new ConcurrentLinkedQueue<>();
    private final MessageHandler handler = MessageHandler.async((message, delivery) -> {
        CompletableFuture<String> stage = new CompletableFuture<>();
        stages.add(stage);
        return stage;
    });

    @Test
    void aMessageIsAckedWhenItsStageCompletes() {
        test.consume(TestQueue.options(), handler);
        test.schedule("a");
        TestQueue.await().until(() -> stages.size() == 1);
        assertThat(test.stats().inFlight()).isEqualTo(1);

        stages.remove().complete("any value");

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
    }

    @Test
    void aSlotStaysTakenUntilItsStageCompletes() {
        test.consume(TestQueue.options().concurrency(3), handler);
        test.scheduleMany(20);
        for (int begun = 3; begun <= 20; begun++) {
            int expected = begun;
            TestQueue.await()
                    .until(() -> stages.size() == 3 || test.stats().pending().total() == 0);
            assertThat(stages).hasSizeLessThanOrEqualTo(3);
            stages.remove().complete("done");
            TestQueue.await().until(() -> test.stats().totals().acked() == expected - 2);
        }
        TestQueue.await().until(() -> stages.size() == 2);
        stages.forEach(stage -> stage.complete("done"));

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(20);
    }

    @Test
    void aThousandStagesUnderWayKeepFewThreads() {
        test.consume(TestQueue.options().concurrency(1000), handler);
        test.scheduleMany(1000);

        TestQueue.await().until(() -> stages.size() == 1000);

        // the more, the slower the machine; a thread for each would be a thousand
        assertThat(threads.named("delayqueue-worker-")).hasSizeLessThan(200);
        stages.forEach(stage -> stage.complete("done"));
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1000);
    }

    @Test
    void aStageThatFailsAndAHandlerThatThrowsAreRetriedAlike() {
        Queue<Integer> attempts = new ConcurrentLinkedQueue<>();
        test.consume(
                TestQueue.options().backoff(Backoff.fixed(Duration.ZERO)), MessageHandler.async((message, delivery) -> {
                    attempts.add(message.attempt());
                    if (message.attempt() == 1) {
                        throw new IllegalStateException("before there was a stage");
                    }
                    return message.attempt() == 2
                            ? CompletableFuture.failedFuture(new IllegalStateException("in the stage"))
                            : CompletableFuture.completedFuture("done");
                }));
        test.schedule("a");

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(attempts).containsExactly(1, 2, 3);
    }

    @Test
    void aDeliveryCanBeUsedUntilTheStageCompletes() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        test.consume(
                TestQueue.options(),
                MessageHandler.async((message, delivery) -> stage.thenRun(() -> delivery.deadLetter("not wanted"))));
        test.schedule("a");
        TestQueue.await().until(() -> test.stats().inFlight() == 1);

        stage.complete("now");

        TestQueue.await().until(() -> test.stats().dead() == 1);
        assertThat(test.queue().deadLetters(TestQueue.TOPIC).list(0, 1).get(0).error())
                .isEqualTo("not wanted");
    }

    @Test
    void theLeaseIsRenewedUntilTheStageCompletes() {
        // a stall of the machine may not end it
        Duration lease = Duration.ofSeconds(6);
        ConsumerOptions.Builder options = ConsumerOptions.builder().lease(lease);
        TestQueue.consume(test.open(queue -> queue), options, handler);
        TestQueue.consume(test.open(queue -> queue), options, handler);
        test.schedule("long");
        TestQueue.await().until(() -> stages.size() == 1);

        // one renewal does not last that long
        test.awaitTime(test.now().plus(lease.multipliedBy(3).dividedBy(2)));
        stages.forEach(stage -> stage.complete("done"));

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(stages).hasSize(1);
    }

    @Test
    void aStageThatExceedsTheTimeoutIsCancelledAndItsMessageIsDeliveredAgain() {
        test.consume(
                TestQueue.options().timeout(Duration.ofMillis(300)).backoff(Backoff.fixed(Duration.ZERO)),
                MessageHandler.async((message, delivery) -> {
                    CompletableFuture<String> stage = new CompletableFuture<>();
                    stages.add(stage);
                    return message.attempt() == 1 ? stage : CompletableFuture.completedFuture("in time");
                }));
        test.schedule("slow at first");

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        Eventually.asserted(() -> assertThat(stages.element()).isCancelled());
    }

    @Test
    void aStopWaitsForStagesThenCancelsAndReleasesThem() throws Exception {
        Subscription subscription = test.consume(TestQueue.options(), handler);
        test.scheduleMany(5);
        TestQueue.await().until(() -> stages.size() == 5);
        CountDownLatch blocked = new CountDownLatch(1);
        stages.forEach(stage ->
                stage.whenComplete((value, error) -> StopWithSlowHandlersTests.awaitIgnoringInterrupts(blocked)));
        long begun = System.nanoTime();

        assertThat(subscription.stop(Duration.ofMillis(200))).isFalse();

        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .as("what is chained to a cancelled stage can't hold up the stop")
                .isLessThan(Duration.ofSeconds(20));
        assertThat(stages).allSatisfy(stage -> assertThat(stage).isCancelled());
        assertThat(test.stats().pending().ready()).isEqualTo(5);
        assertThat(test.redis().hlen(TestQueue.key("attempts"))).isZero();
        blocked.countDown();
    }

    @Test
    void closingASubscriptionStopsItWithTheShutdownTimeout() {
        try (Subscription subscription = test.consume(TestQueue.options(), handler)) {
            test.schedule("a");
            TestQueue.await().until(() -> stages.size() == 1);
            assertThat(subscription.isRunning()).isTrue();
        }

        assertThat(stages.remove()).isCancelled();
        assertThat(test.stats().pending().ready()).isEqualTo(1);
    }
}
