package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DeleteTopicOutcome;
import io.delayqueue.Subscription;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A topic can be deleted, and leaves no key; whoever goes on using it makes it anew. */
class DeleteTopicTests {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void emptyTopicLeavesNoKeyAndNoName(int partitions) {
        DelayQueueClient queue = open(partitions);
        Subscription consumer = TestQueue.consume(queue, TestQueue.options(), (message, delivery) -> {});
        scheduleMany(queue, 50, Duration.ZERO);
        TestQueue.await().until(() -> queue.stats(TestQueue.TOPIC).totals().acked() == 50);
        queue.pause(TestQueue.TOPIC);
        consumer.stop(Duration.ofSeconds(10));
        queue.schedule(TestQueue.message().id("a").build());
        queue.cancel(TestQueue.TOPIC, "a");

        assertThat(queue.deleteTopic(TestQueue.TOPIC)).isEqualTo(DeleteTopicOutcome.DELETED);

        assertThat(test.redis().keys("*")).isEmpty();
        assertThat(queue.topics()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void anObserverThatRefusesKeepsTheTopic(int partitions) {
        AtomicBoolean refuses = new AtomicBoolean(true);
        DelayQueueObserver observer = new DelayQueueObserver() {
            @Override
            public void topicDeleting(String topic) {
                if (refuses.get()) {
                    throw new IllegalStateException("the database is away");
                }
            }
        };
        DelayQueueClient queue = test.open(options -> options.observer(observer)
                .topic(
                        TestQueue.TOPIC,
                        TopicOptions.builder().partitions(partitions).build()));
        scheduleMany(queue, 20, HOUR);

        assertThatExceptionOfType(DelayQueueException.class)
                .isThrownBy(() -> queue.forceDeleteTopic(TestQueue.TOPIC))
                .withMessageContaining("topic '" + TestQueue.TOPIC + "' was not deleted")
                .withMessageContaining("the database is away")
                .satisfies(refused -> assertThat(refused.topic()).isEqualTo(TestQueue.TOPIC));

        assertThat(queue.stats(TestQueue.TOPIC).pending().scheduled()).isEqualTo(20);
        refuses.set(false);
        assertThat(queue.forceDeleteTopic(TestQueue.TOPIC)).isEqualTo(DeleteTopicOutcome.DELETED);
        assertThat(test.redis().keys("*")).isEmpty();
    }

    @Test
    void topicThatNobodyUsedIsNotFound() {
        assertThat(test.queue().deleteTopic(TestQueue.TOPIC)).isEqualTo(DeleteTopicOutcome.NOT_FOUND);
        assertThat(test.queue().forceDeleteTopic(TestQueue.TOPIC)).isEqualTo(DeleteTopicOutcome.NOT_FOUND);
        assertThat(test.redis().keys("*")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void topicWithMessagesIsDeletedByForceOnlyHoweverMany(int partitions) throws Exception {
        DelayQueueClient queue = open(partitions);
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch finish = new CountDownLatch(1);
        AtomicBoolean leaseLost = new AtomicBoolean();
        Subscription consumer = TestQueue.consume(queue, TestQueue.options(), (message, delivery) -> {
            if (message.id().equals("1")) {
                delivery.deadLetter("no use");
                return;
            }
            begun.countDown();
            finish.await();
            leaseLost.set(!delivery.extend(HOUR));
        });
        scheduleMany(queue, 3, Duration.ZERO);
        begun.await();
        TestQueue.await().until(() -> queue.stats(TestQueue.TOPIC).dead() == 1);
        queue.scheduleAll(IntStream.range(100, 2_600)
                .mapToObj(i -> TestQueue.message()
                        .id(String.valueOf(i))
                        .delay(HOUR)
                        .priority(i % 10)
                        .build())
                .toList());

        assertThat(queue.deleteTopic(TestQueue.TOPIC)).isEqualTo(DeleteTopicOutcome.NOT_EMPTY);
        assertThat(queue.stats(TestQueue.TOPIC).totals().accepted()).isEqualTo(2_503);
        assertThat(queue.topics()).containsExactly(TestQueue.TOPIC);

        assertThat(queue.forceDeleteTopic(TestQueue.TOPIC)).isEqualTo(DeleteTopicOutcome.DELETED);

        assertThat(queue.topics()).isEmpty();
        assertThat(queue.stats(TestQueue.TOPIC).pending().total()).isZero();
        finish.countDown();
        consumer.stop(Duration.ofSeconds(20));
        assertThat(leaseLost).as("handlers in flight lose their lease").isTrue();
        // a consumer of several partitions tells them their number again
        assertThat(test.redis().keys("*")).allMatch(key -> partitions > 1 && key.endsWith(":meta"));
        assertThat(queue.stats(TestQueue.TOPIC).totals().acked()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void runningConsumersAndSchedulersOfOthersCreateItAgain(int partitions) throws Exception {
        DelayQueueClient consuming = open(partitions);
        DelayQueueClient scheduling = open(partitions);
        Deliveries deliveries = new Deliveries(test);
        TestQueue.consume(consuming, TestQueue.options(), deliveries);
        scheduling.schedule(TestQueue.message().id("before").build());
        deliveries.next();
        TestQueue.await().until(() -> consuming.stats(TestQueue.TOPIC).totals().acked() == 1);
        DelayQueueClient deleting = open(1);

        assertThat(deleting.deleteTopic(TestQueue.TOPIC)).isEqualTo(DeleteTopicOutcome.DELETED);
        for (int i = 0; i < 20; i++) {
            scheduling.schedule(TestQueue.message().id("after " + i).build());
            assertThat(deliveries.next().id()).isEqualTo("after " + i);
        }

        TestQueue.await().until(() -> deleting.stats(TestQueue.TOPIC).totals().acked() == 20);
        TestQueue.await().until(() -> {
            // registered again once a guard interval
            scheduling.schedule(TestQueue.message().delay(HOUR).build());
            return deleting.topics().contains(TestQueue.TOPIC);
        });
        assertThat(deleting.find(TestQueue.TOPIC, "after 0")).isEmpty();
        assertThat(deleting.stats(TestQueue.TOPIC).unaccounted()).isZero();
    }

    @Test
    void idleConsumerDoesNotBringTheTopicBack() {
        TestQueue.consume(open(1), TestQueue.options(), (message, delivery) -> {});
        DelayQueueClient queue = open(1);
        scheduleMany(queue, 10, Duration.ZERO);
        TestQueue.await().until(() -> queue.stats(TestQueue.TOPIC).totals().acked() == 10);

        assertThat(queue.deleteTopic(TestQueue.TOPIC)).isEqualTo(DeleteTopicOutcome.DELETED);

        long claims = evaluations();
        TestQueue.await().until(() -> evaluations() > claims + 5);
        assertThat(test.redis().keys("*")).isEmpty();
    }

    private long evaluations() {
        return test.redis()
                .info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))
                .sum();
    }

    private static void scheduleMany(DelayQueueClient queue, int count, Duration delay) {
        queue.scheduleAll(IntStream.range(0, count)
                .mapToObj(i ->
                        TestQueue.message().id(String.valueOf(i)).delay(delay).build())
                .toList());
    }

    private DelayQueueClient open(int partitions) {
        return test.open(options -> options.guardInterval(Duration.ofMillis(100))
                .topic(
                        TestQueue.TOPIC,
                        TopicOptions.builder().partitions(partitions).build()));
    }
}
