package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A rolling restart: no message is handled twice, counts an attempt or waits for a lease. */
class GracefulStopTests {

    private static final int MESSAGES = 3000;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @RepeatedTest(2)
    void consumerStoppedUnderLoadHandsOverAtOnce() throws Exception {
        handOver(Stop.SUBSCRIPTION);
    }

    @RepeatedTest(2)
    void delayQueueClosedUnderLoadHandsOverAtOnce() throws Exception {
        handOver(Stop.DELAY_QUEUE);
    }

    private enum Stop {
        SUBSCRIPTION,
        DELAY_QUEUE
    }

    private void handOver(Stop stop) throws Exception {
        Random random = new Random();
        // up to 8 ms each: work, not a wait for a fact
        Deliveries deliveries = new Deliveries(
                test,
                (message, delivery) -> LockSupport.parkNanos(
                        TimeUnit.MICROSECONDS.toNanos(message.id().hashCode() & 0x1fff)));
        DelayQueueClient former = test.open(options -> options.shutdownTimeout(Duration.ofSeconds(20)));
        Subscription subscription =
                TestQueue.consume(former, TestQueue.options().concurrency(30), deliveries);
        test.queue()
                .scheduleAll(IntStream.range(0, MESSAGES)
                        .mapToObj(i -> TestQueue.message()
                                .id("m" + i)
                                .priority(i % 10)
                                .delay(Duration.ofMillis(random.nextInt(1500)))
                                .build())
                        .toList());
        int handledBefore = 1 + random.nextInt(MESSAGES - 500);
        TestQueue.await().until(() -> deliveries.all().size() >= handledBefore);

        if (stop == Stop.SUBSCRIPTION) {
            assertThat(subscription.stop(Duration.ofSeconds(20))).isTrue();
            assertThat(subscription.isRunning()).isFalse();
        } else {
            former.close();
        }

        TopicStats stopped = test.stats();
        int handled = deliveries.all().size();
        assertThat(stopped.inFlight()).isZero();
        assertThat(stopped.totals().acked()).isEqualTo(handled);
        assertThat(stopped.unaccounted()).isZero();
        test.consume(TestQueue.options().concurrency(30), deliveries);
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(MESSAGES);
        List<String> ids = deliveries.ids();
        assertThat(ids).hasSize(MESSAGES).doesNotHaveDuplicates();
        assertThat(deliveries.attempts()).containsOnly(1);
    }

    @Test
    void anInterruptOfTheClosingThreadLeavesNoMessageToItsLease() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> never.await());
        DelayQueueClient queue = test.open(options -> options.shutdownTimeout(Duration.ofMinutes(1)));
        TestQueue.consume(queue, TestQueue.options(), deliveries);
        test.scheduleMany(5);
        TestQueue.await().until(() -> deliveries.all().size() == 5);
        Thread closing = new Thread(queue::close);
        closing.start();
        TestQueue.await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);

        closing.interrupt();

        closing.join();
        assertThat(test.stats().inFlight())
                .as("released, not left to a lease of a minute")
                .isZero();
        assertThat(test.stats().pending().total()).isEqualTo(5);
    }
}
