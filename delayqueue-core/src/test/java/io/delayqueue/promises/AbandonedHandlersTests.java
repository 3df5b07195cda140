package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Handlers that exceed their timeout and ignore the interrupt are bounded in number, seen, and recovered from. */
class AbandonedHandlersTests {

    private static final int CONCURRENCY = 5;

    private static final ConsumerOptions.Builder HASTY = TestQueue.options()
            .concurrency(CONCURRENCY)
            .timeout(Duration.ofMillis(100))
            .maxAttempts(1_000_000)
            .backoff(Backoff.fixed(Duration.ZERO));

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final CountDownLatch released = new CountDownLatch(1);
    private final AtomicInteger running = new AtomicInteger();

    @AfterEach
    void release() {
        released.countDown();
    }

    @Test
    void handlersThatIgnoreTheirTimeoutNeverExceedTwiceTheConcurrency() throws Exception {
        Subscription stuck = consumeStubbornly();
        test.scheduleMany(100);

        TestQueue.await().until(() -> stuck.abandonedHandlers() == 2 * CONCURRENCY);

        TestQueue.await().until(() -> test.stats().totals().retried() == 2 * CONCURRENCY);
        // many timeouts later
        test.awaitTime(test.now().plusSeconds(1));
        assertThat(running.get()).isEqualTo(2 * CONCURRENCY);
        assertThat(stuck.abandonedHandlers()).isEqualTo(2 * CONCURRENCY);
        assertThat(test.stats().totals().retried())
                .as("no further attempt began")
                .isEqualTo(2 * CONCURRENCY);
        assertThat(test.stats().inFlight()).isZero();
    }

    @Test
    void lostSlotsAreReportedByHealthAndLog() {
        try (LogLines log = LogLines.ofEngine()) {
            Subscription stuck = consumeStubbornly();
            assertThat(stuck.isHealthy()).isTrue();
            test.scheduleMany(20);

            TestQueue.await().until(() -> !stuck.isHealthy());
            TestQueue.await().until(() -> stuck.abandonedHandlers() == 2 * CONCURRENCY);

            // told behind the count
            TestQueue.await()
                    .until(() -> log.lines().stream().anyMatch(line -> line.contains("ignored the interrupt")));
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("ignored the interrupt"))
                    .singleElement()
                    .asString()
                    .startsWith("WARN Topic 'orders': ")
                    .contains("handlers exceeded their timeout of PT0.1S")
                    .containsPattern("[1-5] of 5 handler slots are lost");
        }
    }

    @Test
    void anotherSubscriptionOnTheSharedWorkersGoesOn() throws Exception {
        Subscription stuck = consumeStubbornly();
        test.scheduleMany(20);
        TestQueue.await().until(() -> stuck.abandonedHandlers() == 2 * CONCURRENCY);
        CountDownLatch handled = new CountDownLatch(50);
        Subscription other = test.queue()
                .subscribe("other", TestQueue.options().build(), (message, delivery) -> handled.countDown());
        other.start();

        test.queue()
                .scheduleAll(IntStream.range(0, 50)
                        .mapToObj(i -> OutgoingMessage.to("other")
                                .payload(new byte[0])
                                .delay(Duration.ofMillis(i))
                                .build())
                        .toList());

        TestQueue.await().until(() -> handled.getCount() == 0);
        assertThat(other.isHealthy()).isTrue();
    }

    @Test
    void slotsServeAgainWhenAbandonedHandlersReturn() {
        Subscription stuck = consumeStubbornly();
        test.scheduleMany(30);
        TestQueue.await().until(() -> stuck.abandonedHandlers() == 2 * CONCURRENCY);

        released.countDown();

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(30);
        TestQueue.await().until(() -> stuck.abandonedHandlers() == 0);
        assertThat(stuck.isHealthy()).isTrue();
    }

    @Test
    void aStopDoesNotWaitForThem() {
        Subscription stuck = consumeStubbornly();
        test.scheduleMany(30);
        TestQueue.await().until(() -> stuck.abandonedHandlers() == 2 * CONCURRENCY);
        long begun = System.nanoTime();

        assertThat(stuck.stop(Duration.ofMinutes(5))).isTrue();

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
        assertThat(test.stats().pending().total()).isEqualTo(30);
        assertThat(test.stats().inFlight()).isZero();
    }

    /** Each attempt that fails by its timeout calls the backoff on a thread beside its handler. */
    @Test
    void aBackoffThatBlocksTakesNoMoreThreadsThanThereAreSlots() {
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch quick = new CountDownLatch(1);
        test.consume(
                ConsumerOptions.builder()
                        .lease(Duration.ofMinutes(1))
                        .concurrency(CONCURRENCY)
                        .timeout(Duration.ofMillis(50))
                        .maxAttempts(1_000_000)
                        .backoff(attempt -> {
                            asked.incrementAndGet();
                            StopWithSlowHandlersTests.awaitIgnoringInterrupts(released);
                            return Duration.ZERO;
                        }),
                (message, delivery) -> {
                    if (released.getCount() > 0) {
                        // heeds the interrupt
                        quick.await();
                    }
                });
        test.scheduleMany(100);
        TestQueue.await().until(() -> asked.get() == CONCURRENCY);

        test.awaitTime(test.now().plusSeconds(1));

        assertThat(asked.get()).isEqualTo(CONCURRENCY);
        released.countDown();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(100);
    }

    private Subscription consumeStubbornly() {
        return test.consume(HASTY, new Deliveries(test, (message, delivery) -> {
            running.incrementAndGet();
            StopWithSlowHandlersTests.awaitIgnoringInterrupts(released);
            running.decrementAndGet();
        }));
    }
}
