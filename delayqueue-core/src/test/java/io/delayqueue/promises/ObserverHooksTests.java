package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DeleteTopicOutcome;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.RedriveOptions;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.Subscription;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Observers learn of each change that operators and callers make to messages. */
class ObserverHooksTests {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final List<Object> told = new CopyOnWriteArrayList<>();
    private DelayQueueClient queue;

    private record Rescheduled(String id, Delay delay) {}

    private record Redriven(List<String> ids, Delay first, Duration between) {}

    private record Purged(List<String> ids) {}

    private record Dead(String id, @Nullable String generation, int attempts) {}

    private record Released(String id) {}

    private record Deleted(String topic) {}

    @BeforeEach
    void openQueue() {
        queue = test.open(options -> options.observer(observer())
                .topic("wide", TopicOptions.builder().partitions(3).build()));
    }

    private DelayQueueObserver observer() {
        return new DelayQueueObserver() {
            @Override
            public void rescheduled(String topic, String id, Delay delay) {
                told.add(new Rescheduled(id, delay));
            }

            @Override
            public void redriven(String topic, List<String> ids, Delay first, Duration between) {
                told.add(new Redriven(ids, first, between));
            }

            @Override
            public void purged(String topic, List<String> ids) {
                told.add(new Purged(ids));
            }

            @Override
            public void deadLettered(String topic, String id, @Nullable String generation, int attempts, String error) {
                told.add(new Dead(id, generation, attempts));
            }

            @Override
            public void released(ReceivedMessage message) {
                told.add(new Released(message.id()));
            }

            @Override
            public void topicDeleted(String topic) {
                told.add(new Deleted(topic));
            }
        };
    }

    @Test
    void reschedulesAreReportedByClientAndByOutboxIfTheyTookEffect() throws Exception {
        schedule("a", HOUR);
        Delay tomorrow = Delay.until(Instant.now().plus(Duration.ofDays(1)));

        assertThat(queue.reschedule(TestQueue.TOPIC, "a", Delay.of(HOUR))).isEqualTo(RescheduleOutcome.RESCHEDULED);
        assertThat(queue.reschedule(TestQueue.TOPIC, "never", Delay.of(HOUR))).isEqualTo(RescheduleOutcome.NOT_FOUND);
        var outbox = queue.outbox(OutboxOptions.DEFAULTS);
        var change = new OutboxOperation.Reschedule(TestQueue.TOPIC, "a", "token123", tomorrow);
        for (int i = 0; i < 3; i++) { // the first time an epoch begins, the third time it was applied before
            outbox.send(List.of(change), outbox.timeMicros().get(25, TimeUnit.SECONDS))
                    .get(25, TimeUnit.SECONDS);
        }

        assertThat(told).containsExactly(new Rescheduled("a", Delay.of(HOUR)), new Rescheduled("a", tomorrow));
    }

    @Test
    void redrivesTellTheirIdsAndDueTimes() {
        String generation = dead("a").generation();
        dead("b");
        told.clear();

        queue.deadLetters(TestQueue.TOPIC)
                .redrive(
                        List.of("never", "a"),
                        RedriveOptions.builder().delay(HOUR).build());
        queue.deadLetters(TestQueue.TOPIC).redrive(List.of("never"));
        queue.deadLetters(TestQueue.TOPIC)
                .redriveAll(RedriveOptions.builder().ratePerSecond(4).build());

        assertThat(generation).hasSize(8);
        assertThat(told)
                .containsExactly(
                        new Redriven(List.of("a"), Delay.of(HOUR), Duration.ZERO),
                        new Redriven(List.of("b"), Delay.NONE, Duration.ofMillis(250)));
    }

    @Test
    void deadLettersTellTheGenerationOfTheMessageThatAHandlerFailed() {
        OutgoingMessage message = dead("a");

        assertThat(told).containsExactly(new Dead("a", message.generation(), 1));
    }

    @Test
    void purgesTellTheIdsThatWereThere() {
        dead("a");
        dead("b");
        schedule("c", HOUR);
        schedule("d", Duration.ofDays(1));
        told.clear();

        queue.deadLetters(TestQueue.TOPIC).purge(List.of("c", "a"));
        queue.deadLetters(TestQueue.TOPIC).purge(List.of("a"));
        queue.deadLetters(TestQueue.TOPIC).purgeOlderThan(Duration.ZERO);
        queue.pending(TestQueue.TOPIC).purge(List.of("c", "never"));
        queue.pending(TestQueue.TOPIC).purgeDueUntil(Instant.now().plus(Duration.ofDays(2)));

        assertThat(told)
                .containsExactly(
                        new Purged(List.of("a")),
                        new Purged(List.of("b")),
                        new Purged(List.of("c")),
                        new Purged(List.of("d")));
    }

    @Test
    void purgesOfManyTellEachIdOnceWhateverThePartition() {
        List<String> ids = IntStream.range(0, 1_300).mapToObj(i -> "m" + i).toList();
        queue.scheduleAll(ids.stream()
                .map(id -> OutgoingMessage.to("wide")
                        .id(id)
                        .payload(new byte[1])
                        .delay(HOUR)
                        .build())
                .toList());

        assertThat(queue.pending("wide").purgeDueUntil(Instant.now().plus(Duration.ofDays(1))))
                .isEqualTo(1_300);

        assertThat(told.stream().flatMap(each -> ((Purged) each).ids().stream()))
                .containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void retentionReportsPurgedMessages() {
        dead("a");
        DelayQueueClient keeper = test.open(options -> options.observer(observer())
                .guardInterval(Duration.ofMillis(200))
                .topic(
                        TestQueue.TOPIC,
                        TopicOptions.builder()
                                .deadLetterRetention(Duration.ofSeconds(1))
                                .build()));
        TestQueue.consume(keeper, TestQueue.options(), (message, delivery) -> {});

        TestQueue.await().until(() -> told.contains(new Purged(List.of("a"))));
    }

    /** Somebody who knows what happened meanwhile, such as a journal, must not take a late answer for a new one. */
    @Test
    void lateAnswersTellWhenTheirCallsBegan() {
        List<Long> beganNanos = new CopyOnWriteArrayList<>();
        DelayQueueClient client = test.open(options -> options.observer(new DelayQueueObserver() {
            @Override
            public void cancelled(String topic, String id, Duration ago) {
                beganNanos.add(System.nanoTime() - ago.toNanos());
            }

            @Override
            public void rescheduled(String topic, String id, Delay delay, Duration ago) {
                beganNanos.add(System.nanoTime() - ago.toNanos());
            }
        }));
        schedule("a", HOUR);
        schedule("b", HOUR);

        test.redis().clientPause(3_000);
        var cancelled = client.cancelAsync(TestQueue.TOPIC, "a");
        var rescheduled = client.rescheduleAsync(TestQueue.TOPIC, "b", Delay.of(HOUR));
        long calledNanos = System.nanoTime();

        assertThat(cancelled).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(rescheduled).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(RescheduleOutcome.RESCHEDULED);
        assertThat(beganNanos)
                .hasSize(2)
                .allSatisfy(nanos -> assertThat(nanos - calledNanos).isLessThan(TimeUnit.SECONDS.toNanos(2)));
    }

    @Test
    void deletedTopicsAreReported() {
        schedule("a", HOUR);
        assertThat(queue.deleteTopic(TestQueue.TOPIC)).isEqualTo(DeleteTopicOutcome.NOT_EMPTY);
        assertThat(told).isEmpty();

        queue.forceDeleteTopic(TestQueue.TOPIC);
        queue.forceDeleteTopic(TestQueue.TOPIC);

        assertThat(told).containsExactly(new Deleted(TestQueue.TOPIC));
    }

    @Test
    void messagesReleasedAtTheEndOfASubscriptionAreReported() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Subscription subscription =
                TestQueue.consume(queue, TestQueue.options().concurrency(1), (message, delivery) -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                });
        schedule("a", Duration.ZERO);
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();

        subscription.stop(Duration.ZERO);

        TestQueue.await().until(() -> told.contains(new Released("a")));
    }

    private OutgoingMessage schedule(String id, Duration delay) {
        OutgoingMessage message = TestQueue.message().id(id).delay(delay).build();
        assertThat(queue.schedule(message).id()).isEqualTo(id);
        return message;
    }

    private OutgoingMessage dead(String id) {
        Subscription failing = TestQueue.consume(
                queue, TestQueue.options().maxAttempts(1), (message, delivery) -> delivery.deadLetter("no"));
        OutgoingMessage message = schedule(id, Duration.ZERO);
        TestQueue.await()
                .until(() -> told.stream()
                        .anyMatch(each -> each instanceof Dead dead && dead.id().equals(id)));
        failing.stop(Duration.ofSeconds(10));
        return message;
    }
}
