package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.MessageState;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Stops with handlers that are still running, within the grace and beyond it. */
class StopWithSlowHandlersTests {

    private static final Duration GRACE = Duration.ofMillis(200);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final CountDownLatch released = new CountDownLatch(1);

    @Test
    void stopWaitsForHandlersWithinTheGrace() throws Exception {
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> released.await());
        Subscription subscription = test.consume(TestQueue.options(), deliveries);
        test.schedule("slow");
        deliveries.next();
        Thread stopping = Thread.currentThread();
        Thread releasing = new Thread(() -> {
            TestQueue.await().until(() -> waitsInStop(stopping));
            released.countDown();
        });
        releasing.start();

        assertThat(subscription.stop(Duration.ofSeconds(25))).isTrue();

        releasing.join();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
    }

    private static boolean waitsInStop(Thread thread) {
        return Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(thread.getState())
                && Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("stop"));
    }

    @Test
    void messageOfAnInterruptedHandlerIsReleasedWithoutCountingAnAttempt() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        Deliveries former = new Deliveries(test, (message, delivery) -> {
            try {
                released.await();
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
        });
        Subscription subscription = test.consume(TestQueue.options(), former);
        test.schedule("slow");
        former.next();

        assertThat(subscription.stop(GRACE)).isFalse();

        assertThat(interrupted).isTrue();
        assertReleased();
        Deliveries deliveries = new Deliveries(test);
        test.consume(TestQueue.options(), deliveries);
        assertThat(deliveries.next().attempt()).isEqualTo(1);
        assertThat(test.awaitDrained().totals().retried()).isZero();
    }

    @Test
    void messageOfAHandlerThatIgnoresInterruptsIsReleasedToo() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Deliveries former = new Deliveries(test, (message, delivery) -> {
            awaitIgnoringInterrupts(released);
            ended.countDown();
        });
        Subscription subscription = test.consume(TestQueue.options(), former);
        test.schedule("stubborn");
        former.next();
        long begun = System.nanoTime();

        assertThat(subscription.stop(GRACE)).isFalse();

        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(20));
        assertReleased();
        Deliveries deliveries = new Deliveries(test);
        test.consume(TestQueue.options(), deliveries);
        assertThat(deliveries.next().attempt()).isEqualTo(1);
        released.countDown();
        assertThat(ended.await(25, TimeUnit.SECONDS)).isTrue();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
    }

    @Test
    void failureBeforeTheInterruptIsAnOrdinaryFailure() throws Exception {
        CountDownLatch stopping = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            stopping.await();
            throw new IllegalStateException("failed by itself");
        });
        Subscription subscription = test.consume(TestQueue.options().maxAttempts(1), deliveries);
        test.schedule("fails");
        deliveries.next();
        stopping.countDown();

        assertThat(subscription.stop(Duration.ofSeconds(25))).isTrue();

        assertThat(test.stats().dead()).isEqualTo(1);
    }

    private void assertReleased() {
        assertThat(test.stats().pending().ready()).isEqualTo(1);
        assertThat(test.stats().inFlight()).isZero();
        assertThat(test.redis().hlen(TestQueue.key("attempts"))).isZero();
        assertThat(test.redis().hkeys(TestQueue.key("messages")))
                .singleElement()
                .satisfies(id -> assertThat(test.queue()
                                .find(TestQueue.TOPIC, id)
                                .orElseThrow()
                                .state())
                        .isEqualTo(MessageState.READY));
    }

    static void awaitIgnoringInterrupts(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // ignored, as the handler of this test does
            }
        }
    }
}
