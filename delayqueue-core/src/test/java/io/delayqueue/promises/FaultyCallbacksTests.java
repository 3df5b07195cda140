package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Backoff;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.TestQueue;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Observers, backoffs, predicates and thread factories of the application fail: no message is lost or delayed by a lease. */
@Tag("slow")
class FaultyCallbacksTests {

    private static final int MESSAGES = 30;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Set<String> calledMethods = ConcurrentHashMap.newKeySet();

    /** Throws from every method. */
    private final DelayQueueObserver failingObserver = (DelayQueueObserver) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {DelayQueueObserver.class}, (proxy, method, args) -> {
                if (method.getDeclaringClass() == Object.class) {
                    return method.getName().equals("toString") ? "failing observer" : 0;
                }
                calledMethods.add(method.getName());
                throw new AssertionError("the observer failed in " + method.getName());
            });

    @Test
    void observerThatThrowsOnEverythingChangesNothing() throws Exception {
        DelayQueueClient queue = test.open(options -> options.observer(failingObserver));
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            if (message.id().equals("always fails") || message.id().equals("fails once") && message.attempt() == 1) {
                throw new IllegalStateException("failed");
            }
        });
        queue.schedule(TestQueue.message()
                .id("expires")
                .timeToLive(Duration.ofNanos(1000))
                .build());
        queue.schedule(
                TestQueue.message().id("cancelled").delay(Duration.ofHours(1)).build());
        queue.cancel(TestQueue.TOPIC, "cancelled");
        TestQueue.consume(queue, TestQueue.options().maxAttempts(2).backoff(Backoff.fixed(Duration.ZERO)), deliveries);

        queue.schedule(TestQueue.message().id("always fails").build());
        queue.schedule(TestQueue.message().id("fails once").build());
        queue.schedule(TestQueue.message().id("succeeds").build());

        TestQueue.await()
                .until(() -> test.stats().totals().acked() == 2 && test.stats().dead() == 1);
        assertThat(test.stats().totals().expired()).isEqualTo(1);
        assertThat(test.stats().inFlight()).isZero();
        // Redis has settled a message before its observer is told
        Eventually.asserted(() -> assertThat(calledMethods)
                .contains(
                        "accepted",
                        "cancelled",
                        "delivered",
                        "handled",
                        "acked",
                        "retried",
                        "deadLettered",
                        "expired",
                        "redisCall"));
    }

    @Test
    void backoffThatThrowsIsReplacedByTheDefault() {
        Deliveries deliveries = failingOnce();
        test.consume(
                TestQueue.options().backoff(attempt -> {
                    throw new IllegalStateException("the backoff failed");
                }),
                deliveries);

        test.schedule("a");

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(deliveries.attempts()).containsExactly(1, 2);
    }

    @Test
    void backoffThatReturnsNullIsReplacedByTheDefault() {
        Deliveries deliveries = failingOnce();
        test.consume(TestQueue.options().backoff(attempt -> null), deliveries);
        test.schedule("null");
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
    }

    @Test
    void backoffBeyondTheLongestDelayIsCappedAndItsMessageKept() {
        Deliveries deliveries = failingOnce();
        test.consume(TestQueue.options().backoff(attempt -> Duration.ofSeconds(Long.MAX_VALUE)), deliveries);

        test.schedule("a");

        TestQueue.await().until(() -> test.stats().pending().scheduled() == 1);
        assertThat(test.stats().inFlight()).isZero();
    }

    @Test
    void predicateThatThrowsMeansRetry() {
        Deliveries deliveries = failingOnce();
        test.consume(
                TestQueue.options().backoff(Backoff.fixed(Duration.ZERO)).retryable(error -> {
                    throw new IllegalStateException("the predicate failed");
                }),
                deliveries);

        test.schedule("a");

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(deliveries.attempts()).containsExactly(1, 2);
    }

    @Test
    void threadFactoryThatThrowsDelaysMessagesButLeavesNoneToItsLease() {
        AtomicInteger calls = new AtomicInteger();
        ThreadFactory factory = work -> {
            if (calls.getAndIncrement() % 2 == 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(work);
        };
        assertEachIsHandledOnceWith(factory);
        assertThat(calls.get()).isGreaterThan(1);
    }

    @Test
    void threadFactoryThatRefusesDelaysMessagesButLeavesNoneToItsLease() {
        AtomicInteger calls = new AtomicInteger();
        assertEachIsHandledOnceWith(work -> calls.getAndIncrement() < 3 ? null : new Thread(work));
        assertThat(calls.get()).isGreaterThan(3);
    }

    private void assertEachIsHandledOnceWith(ThreadFactory factory) {
        Deliveries deliveries = new Deliveries(test);
        test.scheduleMany(MESSAGES);

        TestQueue.consume(test.open(options -> options.handlerThreadFactory(factory)), TestQueue.options(), deliveries);

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(MESSAGES);
        assertThat(deliveries.attempts()).hasSize(MESSAGES).containsOnly(1);
    }

    private Deliveries failingOnce() {
        return new Deliveries(test, (message, delivery) -> {
            if (message.attempt() == 1) {
                throw new IllegalStateException("once");
            }
        });
    }
}
