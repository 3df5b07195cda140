package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.TopicOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The number of partitions of a topic can be increased while it is in use. */
class IncreasedPartitionsTests {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void increaseKeepsOldMessagesReachableAndIsNoticedByOtherInstances() throws Exception {
        DelayQueueClient before = open(1);
        Deliveries deliveries = new Deliveries(test);
        TestQueue.consume(before, TestQueue.options(), deliveries);
        scheduleAll(before, 0, 40, HOUR);
        DelayQueueClient after = open(4);

        for (int i = 0; i < 40; i += 4) {
            assertThat(after.find(TestQueue.TOPIC, String.valueOf(i))).isPresent();
            assertThat(after.cancel(TestQueue.TOPIC, String.valueOf(i))).isEqualTo(CancelOutcome.CANCELLED);
            assertThat(after.cancel(TestQueue.TOPIC, String.valueOf(i))).isEqualTo(CancelOutcome.NOT_FOUND);
            assertThat(after.reschedule(TestQueue.TOPIC, String.valueOf(i + 1), Delay.of(HOUR)))
                    .isEqualTo(RescheduleOutcome.RESCHEDULED);
        }
        // the old instance's consumer serves the new partitions
        for (int i = 100; i < 120; i++) {
            scheduleAll(after, i, i + 1, Duration.ZERO);
            assertThat(deliveries.next().id()).isEqualTo(String.valueOf(i));
        }
        // and the messages that it schedules are found by all
        scheduleAll(before, 200, 240, HOUR);
        for (int i = 200; i < 240; i++) {
            assertThat(after.find(TestQueue.TOPIC, String.valueOf(i))).isPresent();
        }
        TopicStats stats = after.stats(TestQueue.TOPIC);
        assertThat(stats.totals().accepted()).isEqualTo(100);
        assertThat(before.stats(TestQueue.TOPIC).totals().accepted()).isEqualTo(100);
        assertThat(IntStream.range(1, 4))
                .allSatisfy(number ->
                        assertThat(test.redis().zcard(scheduled(number))).isPositive());
    }

    @Test
    void duplicateIsRecognisedAfterAnIncrease() {
        DelayQueueClient before = open(1);
        OutgoingMessage repeated = TestQueue.message().id("7").delay(HOUR).build();
        before.schedule(repeated);
        scheduleAll(before, 0, 7, HOUR);
        DelayQueueClient after = open(8);

        assertThat(after.schedule(repeated).outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);
        for (int i = 0; i < 8; i++) {
            OutgoingMessage.Builder again =
                    TestQueue.message().id(String.valueOf(i)).delay(HOUR);
            assertThat(after.schedule(again.build()).outcome()).isEqualTo(ScheduleOutcome.REJECTED_DUPLICATE);
            assertThat(after.schedule(again.ifExists(DuplicatePolicy.REPLACE).build())
                            .outcome())
                    .isEqualTo(ScheduleOutcome.REPLACED);
        }
        assertThat(after.stats(TestQueue.TOPIC).totals().accepted()).isEqualTo(8);
        assertThat(after.stats(TestQueue.TOPIC).pending().total()).isEqualTo(8);
    }

    @Test
    void largestPartitionCountAppliesToAllInstances() {
        open(4).schedule(TestQueue.message().delay(HOUR).build());
        DelayQueueClient fewer = open(2);
        scheduleAll(fewer, 0, 100, HOUR);

        assertThat(IntStream.range(0, 4))
                .allSatisfy(number ->
                        assertThat(test.redis().zcard(scheduled(number))).isPositive());
        assertThat(test.redis().hget(meta(0), "partitions")).isEqualTo("4");
        assertThat(test.redis().hget(meta(0), "former")).isNull();
    }

    @Test
    void instancesMayIncreaseThePartitionsAtTheSameTime() throws Exception {
        DelayQueueClient before = open(1);
        scheduleAll(before, 0, 20, HOUR);
        List<DelayQueueClient> increasing = List.of(open(3), open(8), open(5));
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> threads = increasing.stream()
                .map(queue -> new Thread(() -> {
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    int from = 100 * (1 + increasing.indexOf(queue));
                    scheduleAll(queue, from, from + 50, HOUR);
                }))
                .toList();
        threads.forEach(Thread::start);
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }

        Set<String> lost = new HashSet<>();
        IntStream.concat(IntStream.range(0, 20), IntStream.range(100, 400).filter(i -> i % 100 < 50))
                .mapToObj(String::valueOf)
                .filter(id -> increasing.stream()
                        .anyMatch(queue -> queue.find(TestQueue.TOPIC, id).isEmpty()))
                .forEach(lost::add);
        assertThat(lost).isEmpty();
        assertThat(IntStream.range(0, 8))
                .allSatisfy(number -> assertThat(test.redis().hget(meta(number), "partitions"))
                        .isEqualTo("8"));
    }

    @Test
    void interruptedIncreaseIsCompletedByTheNextCaller() {
        DelayQueueClient queue = open(1);
        scheduleAll(queue, 0, 10, HOUR);
        queue = open(2);
        scheduleAll(queue, 10, 20, HOUR);
        // an instance wanted four, updated partition 1, and died
        test.redis().hset(meta(1), "partitions", "4");

        scheduleAll(queue, 20, 40, HOUR);
        scheduleAll(queue, 40, 60, HOUR);

        assertThat(IntStream.range(0, 4)).allSatisfy(number -> {
            assertThat(test.redis().hget(meta(number), "partitions")).isEqualTo("4");
            assertThat(test.redis().zcard(scheduled(number))).isPositive();
        });
        for (int i = 0; i < 60; i++) {
            assertThat(queue.find(TestQueue.TOPIC, String.valueOf(i)))
                    .as("message %d", i)
                    .isPresent();
        }
    }

    @Test
    void pausedTopicIsPausedInItsNewPartitionsToo() throws Exception {
        DelayQueueClient before = open(1);
        before.schedule(TestQueue.message().id("first").build());
        before.pause(TestQueue.TOPIC);
        DelayQueueClient after = open(4);
        Deliveries deliveries = new Deliveries(test);
        TestQueue.consume(after, TestQueue.options(), deliveries);
        scheduleAll(after, 0, 40, Duration.ZERO);
        assertThat(after.stats(TestQueue.TOPIC).paused()).isTrue();
        assertThat(after.stats(TestQueue.TOPIC).pending().ready()).isEqualTo(41);

        before.resume(TestQueue.TOPIC);

        awaitAcked(after, 41);
        assertThat(after.stats(TestQueue.TOPIC).paused()).isFalse();
    }

    @Test
    void partitionCountIsRestoredAfterAFlush() {
        DelayQueueClient queue = open(4);
        scheduleAll(queue, 0, 10, HOUR);
        test.redis().flushall();

        scheduleAll(queue, 0, 40, HOUR);

        assertThat(IntStream.range(0, 4)).allSatisfy(number -> {
            assertThat(test.redis().hget(meta(number), "partitions")).isEqualTo("4");
            assertThat(test.redis().zcard(scheduled(number))).isPositive();
        });
    }

    @Test
    void consumersRestoreAnIncreaseThatAFailoverLost() {
        DelayQueueClient knows = open(1);
        TestQueue.consume(knows, TestQueue.options(), (message, delivery) -> {});
        scheduleAll(open(4), 0, 40, HOUR);
        TestQueue.await().until(() -> test.redis().pubsubNumsub(channel(3)).get(channel(3)) == 1);
        loseTheIncreaseInTwoPartitions();

        test.redis().publish(channel(0), "0");

        TestQueue.await().until(() -> "4".equals(test.redis().hget(meta(0), "partitions")));
        assertAllKnowAndFind(open(1), 40);
    }

    @Test
    void callersRestoreAnIncreaseThatAFailoverLost() {
        DelayQueueClient knows = open(1);
        scheduleAll(open(4), 0, 40, HOUR);
        assertAllKnowAndFind(knows, 40);
        loseTheIncreaseInTwoPartitions();

        assertAllKnowAndFind(knows, 40);
        assertAllKnowAndFind(open(1), 40);
    }

    /** Plays the failover of the server that has partitions 0 and 1; the others keep their count. */
    private void loseTheIncreaseInTwoPartitions() {
        for (int number : List.of(0, 1)) {
            test.redis().hset(meta(number), "partitions", "2");
        }
    }

    private void assertAllKnowAndFind(DelayQueueClient queue, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(queue.find(TestQueue.TOPIC, String.valueOf(i)))
                    .as("message %d", i)
                    .isPresent();
        }
        assertThat(queue.stats(TestQueue.TOPIC).pending().total()).isEqualTo(count);
        assertThat(IntStream.range(0, 4))
                .allSatisfy(number -> assertThat(test.redis().hget(meta(number), "partitions"))
                        .isEqualTo("4"));
    }

    private static String channel(int number) {
        return "dq:{" + TestQueue.TOPIC + ":" + number + "}";
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
