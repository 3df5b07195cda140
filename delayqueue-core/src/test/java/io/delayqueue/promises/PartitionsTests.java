package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DeadLetter;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageState;
import io.delayqueue.TopicOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A topic of several partitions behaves as one of a single partition. */
class PartitionsTests {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void messagesSpreadAndAllAreHandledOnce() {
        DelayQueueClient queue = open(4);
        Set<String> handled = ConcurrentHashMap.newKeySet();
        scheduleAll(queue, 0, 400, Duration.ZERO);
        assertThat(IntStream.range(0, 4))
                .allSatisfy(number ->
                        assertThat(test.redis().zcard(scheduled(number))).isBetween(60L, 140L));

        TestQueue.consume(
                queue,
                TestQueue.options(),
                (message, delivery) -> assertThat(handled.add(message.id())).isTrue());

        awaitAcked(queue, 400);
        assertThat(handled).hasSize(400);
        assertThat(test.redis().keys("*")).containsExactlyInAnyOrder("dq:topics", meta(0), meta(1), meta(2), meta(3));
    }

    @Test
    void earlierMessageInAnyPartitionWakesTheConsumer() throws Exception {
        DelayQueueClient queue = open(4);
        Deliveries deliveries = new Deliveries(test);
        TestQueue.consume(queue, TestQueue.options(), deliveries);
        scheduleAll(queue, 0, 50, HOUR);

        for (int i = 100; i < 120; i++) {
            scheduleAll(queue, i, i + 1, Duration.ofMillis(20));
            assertThat(deliveries.nextOnTime().id()).isEqualTo(String.valueOf(i));
        }
    }

    @Test
    void deadLettersOfAllPartitionsAreOneList() {
        DelayQueueClient queue = open(3);
        scheduleAll(queue, 0, 30, Duration.ZERO);
        TestQueue.consume(queue, TestQueue.options().concurrency(1).maxAttempts(1), (message, delivery) -> {
            throw new IllegalStateException("no");
        });
        TestQueue.await().until(() -> queue.stats(TestQueue.TOPIC).dead() == 30);

        List<DeadLetter> all = queue.deadLetters(TestQueue.TOPIC).list(0, 100);
        assertThat(all)
                .hasSize(30)
                .isSortedAccordingTo((a, b) -> b.deadLetteredAt().compareTo(a.deadLetteredAt()));
        assertThat(ids(queue.deadLetters(TestQueue.TOPIC).list(5, 7))).isEqualTo(ids(all.subList(5, 12)));
        assertThat(ids(queue.deadLetters(TestQueue.TOPIC).list(25, 10))).isEqualTo(ids(all.subList(25, 30)));
        assertThat(queue.deadLetters(TestQueue.TOPIC).list(30, 10)).isEmpty();
        assertThat(queue.deadLetters(TestQueue.TOPIC).purge(List.of("3", "4", "x")))
                .isEqualTo(2);
        test.queue().pause(TestQueue.TOPIC);
        assertThat(queue.deadLetters(TestQueue.TOPIC).redrive(List.of("5", "6", "7")))
                .isEqualTo(3);
        assertThat(queue.deadLetters(TestQueue.TOPIC).redriveAll()).isEqualTo(25);
        assertThat(queue.stats(TestQueue.TOPIC).pending().ready()).isEqualTo(28);
        assertThat(queue.find(TestQueue.TOPIC, "5").orElseThrow().state()).isEqualTo(MessageState.READY);
    }

    @Test
    void consumerUsesNoMoreSlotsThanItsConcurrency() throws Exception {
        DelayQueueClient queue = open(4);
        Semaphore go = new Semaphore(0);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        scheduleAll(queue, 0, 100, Duration.ZERO);
        TestQueue.consume(queue, TestQueue.options().concurrency(3), (message, delivery) -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            go.acquire();
            running.decrementAndGet();
        });
        TestQueue.await().until(() -> running.get() == 3);
        assertThat(queue.stats(TestQueue.TOPIC).inFlight()).isEqualTo(3);

        go.release(100);

        awaitAcked(queue, 100);
        assertThat(most).hasValue(3);
    }

    @Test
    void noPartitionStarvesWithASingleSlot() {
        DelayQueueClient queue = open(4);
        scheduleAll(queue, 0, 200, Duration.ZERO);
        Deliveries deliveries = new Deliveries(test);
        TestQueue.consume(queue, TestQueue.options().concurrency(1), deliveries);

        awaitAcked(queue, 200);
        assertThat(deliveries.all()).hasSize(200);
    }

    @Test
    void graceOfAStopAppliesToEveryPartition() throws Exception {
        DelayQueueClient queue = open(4);
        scheduleAll(queue, 0, 100, Duration.ZERO);
        CountDownLatch busy = new CountDownLatch(20);
        var subscription = TestQueue.consume(queue, TestQueue.options().concurrency(20), (message, delivery) -> {
            busy.countDown();
            busy.await(20, TimeUnit.SECONDS);
        });
        assertThat(busy.await(20, TimeUnit.SECONDS)).isTrue();

        assertThat(subscription.stop(Duration.ofSeconds(20))).isTrue();

        TopicStats stats = queue.stats(TestQueue.TOPIC);
        assertThat(stats.inFlight()).isZero();
        assertThat(stats.totals().acked() + stats.pending().ready()).isEqualTo(100);
        assertThat(stats.totals().retried()).isZero();
    }

    private static List<String> ids(List<DeadLetter> letters) {
        return letters.stream().map(DeadLetter::id).toList();
    }

    private DelayQueueClient open(int partitions) {
        return test.open(options -> options.topic(
                TestQueue.TOPIC, TopicOptions.builder().partitions(partitions).build()));
    }

    private static void scheduleAll(DelayQueueClient queue, int from, int to, Duration delay) {
        queue.scheduleAll(IntStream.range(from, to)
                .mapToObj(i ->
                        TestQueue.message().id(String.valueOf(i)).delay(delay).build())
                .toList());
    }

    private static void awaitAcked(DelayQueueClient queue, int count) {
        TestQueue.await().until(() -> queue.stats(TestQueue.TOPIC).totals().acked() == count);
        assertThat(queue.stats(TestQueue.TOPIC).unaccounted()).isZero();
    }

    private static String scheduled(int number) {
        return "dq:{" + TestQueue.TOPIC + ":" + number + "}:scheduled";
    }

    private static String meta(int number) {
        return "dq:{" + TestQueue.TOPIC + ":" + number + "}:meta";
    }
}
