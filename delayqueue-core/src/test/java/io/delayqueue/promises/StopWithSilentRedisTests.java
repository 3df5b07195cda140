package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Redis answers nothing while subscriptions stop: handlers get their grace, and the stop takes little longer. */
@Tag("slow")
class StopWithSilentRedisTests {

    private static final Duration GRACE = Duration.ofSeconds(1);

    /** Three seconds beyond the grace, and what a busy machine takes; still less than a command timeout. */
    private static final Duration MOST_BEYOND_GRACE = Duration.ofSeconds(3).plusSeconds(6);

    private static final Duration MOST = GRACE.plus(MOST_BEYOND_GRACE);

    private static final int PARTITIONS = 12;

    /** Longer than all that a stop may take. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(20);

    @RegisterExtension
    final TestQueue test = new TestQueue(server -> server);

    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void resume() {
        end.countDown();
        test.server().resume();
    }

    @Test
    void subscriptionOfManyPartitionsStopsInTime() throws Exception {
        DelayQueueClient queue = openPartitioned();
        CountDownLatch begun = new CountDownLatch(10);
        AtomicInteger finished = new AtomicInteger();
        Subscription subscription = queue.subscribe(
                TestQueue.TOPIC, TestQueue.options().concurrency(10).build(), (message, delivery) -> {
                    begun.countDown();
                    end.await();
                    finished.incrementAndGet();
                });
        schedule(queue, TestQueue.TOPIC, 200);
        subscription.start();
        assertThat(begun.await(25, TimeUnit.SECONDS)).isTrue();
        test.server().pause();
        long then = System.nanoTime();

        assertThat(subscription.stop(GRACE)).isFalse();

        assertThat(Duration.ofNanos(System.nanoTime() - then)).isBetween(GRACE, MOST);
        assertThat(finished).hasValue(0);
    }

    @Test
    void handlersHaveTheWholeGraceToFinish() throws Exception {
        // what is left of it for the handlers' ends is more than a busy machine stalls
        Duration grace = GRACE.multipliedBy(8);
        DelayQueueClient queue = openPartitioned();
        CountDownLatch begun = new CountDownLatch(10);
        AtomicInteger finished = new AtomicInteger();
        long[] stopBegun = new long[1];
        Subscription subscription = queue.subscribe(
                TestQueue.TOPIC, TestQueue.options().concurrency(10).build(), (message, delivery) -> {
                    begun.countDown();
                    end.await();
                    // most of the grace, counted from the call of stop
                    TestQueue.await()
                            .until(() -> System.nanoTime() - stopBegun[0]
                                    > grace.multipliedBy(6).dividedBy(10).toNanos());
                    finished.incrementAndGet();
                });
        schedule(queue, TestQueue.TOPIC, 10);
        subscription.start();
        assertThat(begun.await(25, TimeUnit.SECONDS)).isTrue();
        test.server().pause();
        stopBegun[0] = System.nanoTime();
        end.countDown();

        assertThat(subscription.stop(grace)).isTrue();

        assertThat(Duration.ofNanos(System.nanoTime() - stopBegun[0])).isLessThan(grace.plus(MOST_BEYOND_GRACE));
        assertThat(finished).hasValue(10);
    }

    @Test
    void manySubscriptionsStopAtTheSameTime() throws Exception {
        DelayQueueClient queue =
                test.open(options -> options.shutdownTimeout(GRACE).commandTimeout(COMMAND_TIMEOUT));
        CountDownLatch begun = new CountDownLatch(20);
        MessageHandler handler = (message, delivery) -> {
            begun.countDown();
            end.await();
        };
        List<String> topics = IntStream.range(0, 20).mapToObj(i -> "topic-" + i).toList();
        for (String topic : topics) {
            schedule(queue, topic, 20);
            queue.subscribe(topic, TestQueue.options().concurrency(2).build(), handler)
                    .start();
        }
        assertThat(begun.await(25, TimeUnit.SECONDS)).isTrue();
        test.server().pause();
        long then = System.nanoTime();

        queue.close();

        // and a second to close the connections
        assertThat(Duration.ofNanos(System.nanoTime() - then)).isBetween(GRACE, MOST.plusSeconds(1));
    }

    private DelayQueueClient openPartitioned() {
        return test.open(options -> options.commandTimeout(COMMAND_TIMEOUT)
                .topic(
                        TestQueue.TOPIC,
                        TopicOptions.builder().partitions(PARTITIONS).build()));
    }

    private static void schedule(DelayQueueClient queue, String topic, int count) {
        queue.scheduleAll(IntStream.range(0, count)
                .mapToObj(i -> OutgoingMessage.to(topic)
                        .id(String.valueOf(i))
                        .payload(new byte[1])
                        .build())
                .toList());
    }
}
