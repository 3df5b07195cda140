package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise 4: a message has one owner, for as long as its handler runs. */
class LeaseRenewalTests {

    /** Renewed when a half of it is left at least, which is more than a busy machine stalls. */
    private static final Duration LEASE = Duration.ofSeconds(6);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final BlockingQueue<String> lost = new LinkedBlockingQueue<>();
    private final DelayQueueObserver losses = new DelayQueueObserver() {
        @Override
        public void leaseLost(ReceivedMessage message) {
            lost.add(message.id());
        }
    };

    @Test
    void handlerThatRunsForLongerThanItsLeaseKeepsItsMessage() throws Exception {
        Deliveries deliveries = new Deliveries(
                test,
                // one renewal does not last that long
                (message, delivery) -> test.awaitTime(
                        test.now().plus(LEASE.multipliedBy(3).dividedBy(2)).plusMillis(200)));
        ConsumerOptions.Builder options = ConsumerOptions.builder().lease(LEASE);
        TestQueue.consume(test.open(queue -> queue), options, deliveries);
        TestQueue.consume(test.open(queue -> queue), options, deliveries);

        test.schedule("long");

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(deliveries.attempts()).containsExactly(1);
        assertThat(deliveries.next().delivery().isLeaseLost()).isFalse();
    }

    @Test
    void extendedLeaseLastsAsLongAsAskedFor() throws Exception {
        CountDownLatch looked = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> looked.await());
        test.consume(ConsumerOptions.builder().lease(LEASE), deliveries);
        test.schedule("message");
        Deliveries.Entry entry = deliveries.next();

        Instant before = test.now();
        assertThat(entry.delivery().extend(Duration.ofMinutes(10))).isTrue();

        assertThat(test.queue().find(TestQueue.TOPIC, "message").orElseThrow().leaseDeadline())
                .isBetween(before.plus(Duration.ofMinutes(10)), test.now().plus(Duration.ofMinutes(10)));
        looked.countDown();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(deliveries.all()).hasSize(1);
    }

    @Test
    void shorterExtensionLeavesALongLeaseAlone() throws Exception {
        CountDownLatch looked = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> looked.await());
        test.consume(TestQueue.options(), deliveries);
        test.schedule("message");
        Deliveries.Entry entry = deliveries.next();
        Instant deadline =
                test.queue().find(TestQueue.TOPIC, "message").orElseThrow().leaseDeadline();

        assertThat(entry.delivery().extend(Duration.ofSeconds(1))).isTrue();

        assertThat(test.queue().find(TestQueue.TOPIC, "message").orElseThrow().leaseDeadline())
                .isAfterOrEqualTo(deadline);
        looked.countDown();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
    }

    @Test
    void handlerThatLostItsLeaseIsNotified() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            if (message.id().equals("message")) {
                mayEnd.await();
            }
        });
        TestQueue.consume(test.open(queue -> queue.observer(losses)), TestQueue.options(), deliveries);
        test.schedule("message");
        Deliveries.Entry first = deliveries.next();
        assertThat(first.delivery().isLeaseLost()).isFalse();

        test.expireLeaseOf("message");
        test.schedule("wakes the consumer");

        assertThat(deliveries.next().id()).isIn("message", "wakes the consumer");
        assertThat(deliveries.next().id()).isIn("message", "wakes the consumer");
        Instant deadlineOfSecond =
                test.queue().find(TestQueue.TOPIC, "message").orElseThrow().leaseDeadline();
        assertThat(first.delivery().extend(Duration.ofMinutes(10))).isFalse();
        assertThat(test.queue().find(TestQueue.TOPIC, "message").orElseThrow().leaseDeadline())
                .isEqualTo(deadlineOfSecond);
        assertThat(first.delivery().isLeaseLost()).isTrue();
        assertThat(lost.poll(25, TimeUnit.SECONDS)).isEqualTo("message");
        mayEnd.countDown();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(2);
        assertThat(deliveries.all()).hasSize(3);
        assertThat(lost).isEmpty();
    }
}
