package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageHandler;
import io.delayqueue.Subscription;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Durations of more than 292 years, which no {@code long} of nanoseconds holds. */
class LongDurationsTests {

    private static final Duration CENTURIES = Delay.LONGEST;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void messagesAreHandledUnderATimeoutOfAThousandYears() {
        test.consume(TestQueue.options().timeout(CENTURIES), new Deliveries(test));
        test.scheduleMany(20);

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(20);
    }

    @Test
    void aStopWithAGraceWithoutEndWaitsForItsHandlers() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> released.await());
        Subscription subscription = test.consume(TestQueue.options(), deliveries);
        test.schedule("a");
        deliveries.next();
        Thread releasing = new Thread(() -> {
            TestQueue.await().until(() -> test.stats().inFlight() == 1);
            released.countDown();
        });
        releasing.start();

        assertThat(subscription.stop(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)))
                .isTrue();

        releasing.join();
        assertThat(subscription.isRunning()).isFalse();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
    }

    @Test
    void aHandlerMayAskForARetryInAThousandYears() {
        assertScheduledAgain(TestQueue.options(), (message, delivery) -> delivery.retryAfter(CENTURIES));
    }

    @Test
    void anExponentialBackoffMayTakeAThousandYears() {
        Backoff backoff = Backoff.exponential(CENTURIES.minusDays(1), 2, CENTURIES, 0.1);
        AtomicInteger calls = new AtomicInteger();
        assertScheduledAgain(
                TestQueue.options().backoff(attempt -> {
                    Duration delay = backoff.delayAfter(attempt);
                    calls.incrementAndGet();
                    return delay;
                }),
                (message, delivery) -> {
                    throw new IllegalStateException("failed");
                });
        assertThat(calls).as("the backoff did not throw").hasValue(1);
    }

    private void assertScheduledAgain(ConsumerOptions.Builder options, MessageHandler handler) {
        test.consume(options, new Deliveries(test, handler));
        test.schedule("a");

        TestQueue.await().until(() -> test.stats().totals().retried() == 1);
        assertThat(test.stats().pending().scheduled()).isEqualTo(1);
        assertThat(test.queue().find(TestQueue.TOPIC, "a").orElseThrow().due())
                .isAfter(test.now().plus(Duration.ofDays(365 * 850)));
    }

    @Test
    void aMessageMayLiveAThousandYears() {
        test.consume(TestQueue.options(), new Deliveries(test));
        test.queue()
                .schedule(TestQueue.message()
                        .id("soon")
                        .timeToLive(CENTURIES)
                        .delay(Duration.ofMillis(30))
                        .build());
        test.queue().schedule(TestQueue.message().id("late").delay(CENTURIES).build());

        TestQueue.await().until(() -> test.stats().totals().acked() == 1);
        assertThat(test.stats().pending().scheduled()).isEqualTo(1);
    }

    @Test
    void deadLettersMayBeKeptAThousandYears() {
        DelayQueueClient queue = test.open(options -> options.topicDefaults(
                TopicOptions.builder().deadLetterRetention(CENTURIES).build()));
        TestQueue.consume(queue, TestQueue.options().maxAttempts(1), (message, delivery) -> {
            if (message.id().equals("bad")) {
                throw new IllegalStateException("failed");
            }
        });
        queue.schedule(TestQueue.message().id("bad").build());
        queue.schedule(TestQueue.message().id("good").build());

        TestQueue.await()
                .until(() -> test.stats().dead() == 1 && test.stats().totals().acked() == 1);
    }
}
