package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.NewThreads;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A thousand topics in one process cost no thread and no connection each. */
class ManyTopicsTests {

    private static final int TOPICS = 1000;
    private static final int SECONDS = 3;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final NewThreads threads = new NewThreads();
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<Subscription> subscriptions = new ArrayList<>();

    @AfterEach
    void endHandlers() {
        end.countDown();
    }

    @Test
    void aThousandIdleTopicsNeedFewThreadsAndNoConnectionsOfTheirOwn() {
        DelayQueueClient queue = test.queue();
        subscribe(queue, 0, 1, (message, delivery) -> {});
        awaitListening(1);
        int connections = connections();

        long starting = System.nanoTime();
        subscribe(queue, 1, TOPICS, (message, delivery) -> {});
        awaitListening(TOPICS);
        assertThat(Duration.ofNanos(System.nanoTime() - starting)).isLessThan(Duration.ofSeconds(20));

        assertThat(threads()).isLessThanOrEqualTo(32);
        assertThat(connections()).isEqualTo(connections);
        assertThat(subscriptions).allMatch(Subscription::isHealthy);
        long begun = System.nanoTime();
        queue.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .as("one second is what forgetting may take; one topic after the other would take minutes")
                .isLessThan(Duration.ofSeconds(20));
        assertThat(subscriptions).noneMatch(Subscription::isRunning);
    }

    @Test
    void aMessageASecondOnEachOfAThousandTopicsNeedsFewThreads() {
        AtomicInteger handled = new AtomicInteger();
        AtomicInteger mostThreads = new AtomicInteger();
        subscribe(test.queue(), 0, TOPICS, (message, delivery) -> handled.incrementAndGet());
        awaitListening(TOPICS);

        Instant start = test.now().plusSeconds(1);
        for (int second = 0; second < SECONDS; second++) {
            Instant from = start.plusSeconds(second);
            test.queue()
                    .scheduleAll(IntStream.range(0, TOPICS)
                            .mapToObj(i -> OutgoingMessage.to(topic(i))
                                    .payload(new byte[0])
                                    .dueAt(from.plusMillis(i * 1000L / TOPICS))
                                    .build())
                            .toList());
        }

        TestQueue.await().until(() -> {
            mostThreads.accumulateAndGet(threads(), Math::max);
            return handled.get() == TOPICS * SECONDS;
        });
        // the more, the slower the machine; a thread for each topic would be a thousand
        assertThat(mostThreads.get()).isLessThan(200);
        TestQueue.await().until(() -> threads() <= 32);
    }

    @Test
    void blockedHandlersOfOneTopicHoldUpNoOtherTopic() {
        AtomicInteger blocked = new AtomicInteger();
        AtomicInteger handled = new AtomicInteger();
        DelayQueueClient queue = test.queue();
        subscribe(queue, 0, 1, (message, delivery) -> {
            blocked.incrementAndGet();
            end.await();
        });
        subscribe(queue, 1, 20, (message, delivery) -> handled.incrementAndGet());
        queue.scheduleAll(IntStream.range(0, 50).mapToObj(i -> message(0)).toList());
        TestQueue.await().until(() -> blocked.get() == ConsumerOptions.DEFAULT_CONCURRENCY);

        queue.scheduleAll(
                IntStream.range(0, 19 * 20).mapToObj(i -> message(1 + i % 19)).toList());

        TestQueue.await().until(() -> handled.get() == 19 * 20);
        assertThat(blocked).hasValue(ConsumerOptions.DEFAULT_CONCURRENCY);
    }

    private static OutgoingMessage message(int topic) {
        return OutgoingMessage.to(topic(topic)).payload(new byte[0]).build();
    }

    private void subscribe(DelayQueueClient queue, int from, int to, MessageHandler handler) {
        for (int i = from; i < to; i++) {
            Subscription subscription =
                    queue.subscribe(topic(i), TestQueue.options().build(), handler);
            subscription.start();
            subscriptions.add(subscription);
        }
    }

    private static String topic(int number) {
        return "topic-" + number;
    }

    /** Each topic has its channel. */
    private void awaitListening(int topics) {
        TestQueue.await().until(() -> test.redis().pubsubChannels("*topic-*").size() >= topics);
    }

    private int connections() {
        return (int) test.redis().clientList().lines().count();
    }

    private int threads() {
        return threads.named("delayqueue-").size();
    }
}
