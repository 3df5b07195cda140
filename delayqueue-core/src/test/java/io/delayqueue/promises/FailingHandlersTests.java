package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Backoff;
import io.delayqueue.Delivery;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A handler that misbehaves on one message harms no other. */
class FailingHandlersTests {

    private static final int NEIGHBOURS = 20;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final CountDownLatch released = new CountDownLatch(1);

    @AfterEach
    void release() {
        released.countDown();
    }

    static Stream<Throwable> throwables() {
        return Stream.of(
                new StackOverflowError("deep"),
                new OutOfMemoryError("full"),
                new AssertionError("wrong"),
                new NoClassDefFoundError("missing"),
                new InterruptedException("interrupted"),
                new CannotSayWhatItIs());
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void anyThrowableDeadLettersItsOwnMessageOnly(Throwable thrown) {
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> badly(message, () -> throwIt(thrown)));
        test.consume(TestQueue.options().concurrency(1).maxAttempts(1), deliveries);

        scheduleBadOneFirst();

        TestQueue.await().until(() -> test.stats().totals().acked() == NEIGHBOURS);
        assertThat(test.stats().dead()).isEqualTo(1);
        assertThat(onlyError()).contains(thrown.getClass().getName());
    }

    @Test
    void realStackOverflowIsAFailureLikeAnyOther() {
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> badly(message, () -> recurse(1)));
        test.consume(TestQueue.options().concurrency(1).maxAttempts(1), deliveries);

        scheduleBadOneFirst();

        TestQueue.await().until(() -> test.stats().totals().acked() == NEIGHBOURS);
        assertThat(onlyError()).contains("StackOverflowError");
    }

    @Test
    void interruptLeftBehindByOneHandlerDoesNotReachTheNext() throws Exception {
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            if (message.id().equals("bad")) {
                Thread.currentThread().interrupt();
            } else if (Thread.currentThread().isInterrupted()) {
                delivery.deadLetter("was interrupted");
            }
        });
        test.consume(TestQueue.options().concurrency(1), deliveries);

        scheduleBadOneFirst();

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(NEIGHBOURS + 1);
    }

    @Test
    void handlerThatIgnoresItsTimeoutLosesItsSlotToTheNextMessage() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(
                test,
                (message, delivery) -> badly(message, () -> {
                    StopWithSlowHandlersTests.awaitIgnoringInterrupts(released);
                    ended.countDown();
                }));
        // the neighbours' handlers, which return at once, shall not meet it in a stall of the machine
        test.consume(TestQueue.options().concurrency(1).maxAttempts(1).timeout(Duration.ofSeconds(3)), deliveries);

        scheduleBadOneFirst();

        TestQueue.await().until(() -> test.stats().totals().acked() == NEIGHBOURS);
        assertThat(test.stats().dead()).isEqualTo(1);
        assertThat(onlyError()).contains("TimeoutException", "PT3S");
        released.countDown();
        assertThat(ended.await(25, TimeUnit.SECONDS)).isTrue();
        test.schedule("one more");
        TestQueue.await().until(() -> test.stats().totals().acked() == NEIGHBOURS + 1);
        assertThat(test.stats().dead()).isEqualTo(1);
    }

    @Test
    void timedOutAttemptIsFollowedByAnother() throws Exception {
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            if (message.attempt() == 1) {
                released.await();
            }
        });
        test.consume(
                TestQueue.options().timeout(Duration.ofMillis(300)).backoff(Backoff.fixed(Duration.ZERO)), deliveries);

        test.schedule("slow at first");

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        // a stall of the machine may cost further ones
        assertThat(deliveries.attempts()).startsWith(1, 2).doesNotHaveDuplicates();
    }

    @Test
    void handlerThatNeverReturnsOccupiesOneSlotOnly() throws Exception {
        Deliveries deliveries = new Deliveries(
                test,
                (message, delivery) ->
                        badly(message, () -> StopWithSlowHandlersTests.awaitIgnoringInterrupts(released)));
        test.consume(TestQueue.options().concurrency(2), deliveries);

        scheduleBadOneFirst();

        TestQueue.await().until(() -> test.stats().totals().acked() == NEIGHBOURS);
        assertThat(test.stats().inFlight()).isEqualTo(1);
        released.countDown();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(NEIGHBOURS + 1);
    }

    @Test
    void handlerMayUseItsDeliveryAfterItsEndWithoutEffect() throws Exception {
        Deliveries deliveries = new Deliveries(test);
        test.consume(TestQueue.options(), deliveries);
        test.schedule("a");
        Delivery delivery = deliveries.next().delivery();
        test.awaitDrained();

        delivery.deadLetter("too late");
        delivery.retryAfter(Duration.ZERO);

        assertThat(delivery.extend(Duration.ofMinutes(30))).isFalse();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
    }

    private void scheduleBadOneFirst() {
        test.queue().schedule(TestQueue.message().id("bad").priority(9).build());
        test.scheduleMany(NEIGHBOURS);
    }

    private String onlyError() {
        return test.queue().deadLetters(TestQueue.TOPIC).list(0, 1).get(0).error();
    }

    private static void badly(ReceivedMessage message, Runnable behaviour) {
        if (message.id().equals("bad")) {
            behaviour.run();
        }
    }

    private static int recurse(int depth) {
        return recurse(depth + 1) + 1;
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwIt(Throwable thrown) throws E {
        throw (E) thrown;
    }

    private static final class CannotSayWhatItIs extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no words");
        }
    }
}
