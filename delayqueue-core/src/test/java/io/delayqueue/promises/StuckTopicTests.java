package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A topic that makes no progress delays no other topic of its process and connection. */
class StuckTopicTests {

    private static final String STUCK = "stuck";

    /** Far below lease and guard interval, and above what a busy machine takes. */
    private static final Duration SOON = Duration.ofSeconds(5);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void handlersThatHangHoldUpTheirOwnTopicOnly() throws Exception {
        CountDownLatch entered = new CountDownLatch(10);
        CountDownLatch end = new CountDownLatch(1);
        subscribeToStuck((message, delivery) -> {
            entered.countDown();
            // the handler ignores interrupts, too
            boolean over = false;
            while (!over) {
                try {
                    end.await();
                    over = true;
                } catch (InterruptedException e) {
                    // swallowed
                }
            }
        });
        scheduleToStuck(100);

        try {
            assertThat(entered.await(25, TimeUnit.SECONDS)).isTrue();
            assertOtherTopicIsDeliveredSoon();
            assertThat(test.queue().stats(STUCK).inFlight()).isEqualTo(10);
            assertThat(test.queue().stats(STUCK).pending().total()).isEqualTo(90);
        } finally {
            end.countDown();
        }
    }

    @Test
    void pausedTopicHoldsUpNoOther() throws Exception {
        test.queue().pause(STUCK);
        subscribeToStuck((message, delivery) -> {});
        scheduleToStuck(1000);

        assertOtherTopicIsDeliveredSoon();

        assertThat(test.queue().stats(STUCK).pending().total()).isEqualTo(1000);
    }

    @Test
    void keysOfTheWrongTypeHoldUpNoOther() throws Exception {
        for (String name : List.of("meta", "messages", "leased", "attempts", "dead", "scheduled")) {
            test.redis().set("dq:{" + STUCK + name + ":0}:" + name, "not what it should be");
            test.queue()
                    .subscribe(STUCK + name, TestQueue.options().build(), (message, delivery) -> {})
                    .start();
        }

        assertOtherTopicIsDeliveredSoon();

        // else the counters, which are checked after each test, can't be read
        test.redis().keys("dq:{" + STUCK + "*").forEach(test.redis()::del);
    }

    @Test
    void backlogOfAHundredThousandHoldsUpNoOther() throws Exception {
        int backlog = 100_000;
        for (int i = 0; i < backlog; i += 10_000) {
            scheduleToStuck(10_000);
        }
        AtomicBoolean checked = new AtomicBoolean();
        subscribeToStuck((message, delivery) -> {
            if (!checked.get()) {
                // ten seconds for all of them
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        });
        TestQueue.await().until(() -> test.queue().stats(STUCK).totals().acked() > 0);

        assertOtherTopicIsDeliveredSoon();

        assertThat(test.queue().stats(STUCK).totals().acked())
                .as("acked of the backlog, which had to last as long as the check")
                .isLessThan(backlog);
        checked.set(true);
        TestQueue.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> test.queue().stats(STUCK).totals().acked() == backlog);
    }

    private void assertOtherTopicIsDeliveredSoon() throws InterruptedException {
        Deliveries deliveries = new Deliveries(test);
        Subscription subscription = test.consume(TestQueue.options(), deliveries);
        for (int i = 0; i < 20; i++) {
            test.queue()
                    .schedule(TestQueue.message()
                            .id("m" + i)
                            .delay(Duration.ofMillis(20))
                            .build());
            Deliveries.Entry entry = deliveries.next();
            assertThat(entry.id()).isEqualTo("m" + i);
            assertThat(Duration.between(entry.message().due(), entry.at())).isLessThan(SOON);
        }
        assertThat(subscription.isHealthy()).isTrue();
        assertThat(test.awaitAcked(20).unaccounted()).isZero();
    }

    private void subscribeToStuck(MessageHandler handler) {
        test.queue()
                .subscribe(STUCK, TestQueue.options().concurrency(10).build(), handler)
                .start();
    }

    private void scheduleToStuck(int count) {
        test.queue()
                .scheduleAll(IntStream.range(0, count)
                        .mapToObj(i -> OutgoingMessage.to(STUCK)
                                .payload(TestQueue.bytes("payload"))
                                .build())
                        .toList());
    }
}
