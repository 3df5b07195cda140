package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.Outbox;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutboxAnswer.Outcome;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.PartitionsChangedException;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls of an outbox of which the store refuses some or all. */
class OutboxFailureTests {

    private final SleepyStore store = new SleepyStore();
    private final Engine engine = new Engine(
            store,
            DelayQueueOptions.builder()
                    .topic("wide", TopicOptions.builder().partitions(4).build())
                    .build());
    private final Outbox outbox = engine.outbox(OutboxOptions.DEFAULTS);

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    @Test
    void eachChangeThatRedisDoesNotTakeHasAFailureOfItsOwn() {
        store.be("apply", Mood.failing(new RedisUnavailableException("asleep", null, null, null)));

        List<OutboxAnswer> answers = send(cancels("orders", 1100));

        assertThat(answers).hasSize(1100).allMatch(answer -> answer.outcome() == Outcome.FAILED);
        assertThat(answers).allMatch(answer -> answer.failure() instanceof RedisUnavailableException);
        assertThat(answers).extracting(answer -> answer.failure().id()).doesNotHaveDuplicates();
        // the batches behind the first one would wait for as long
        assertThat(store.calls("apply")).hasSize(1);
    }

    @Test
    void aPartitionThatFailsHoldsUpNoOther() {
        store.be("apply", failingFirst(1, new RedisUnavailableException("asleep", null, null, null)));

        List<OutboxAnswer> answers = send(cancels("wide", 4 * MessageStore.LARGEST_BATCH));

        long failed = answers.stream()
                .filter(answer -> answer.outcome() == Outcome.FAILED)
                .count();
        assertThat(failed).isBetween(1L, (long) 2 * MessageStore.LARGEST_BATCH);
        assertThat(answers.stream().filter(answer -> answer.outcome() == Outcome.NOT_FOUND))
                .hasSize((int) (4 * MessageStore.LARGEST_BATCH - failed));
    }

    @Test
    void aChangedPartitionCountIsFollowedButNotForEver() {
        PartitionsChangedException changed = new PartitionsChangedException("apply", "orders", 1);
        store.be("apply", failingFirst(TopicPartitions.MAX_ATTEMPTS - 1, changed));
        assertThat(send(cancels("orders", 3))).allMatch(OutboxAnswer::isApplied);

        store.be("apply", Mood.failing(changed));
        assertThat(send(cancels("orders", 3))).allMatch(answer -> answer.outcome() == Outcome.FAILED);
    }

    @Test
    void aStoreThatThrowsFailsTheChangesOnly() {
        store.be("apply", Mood.throwing(new IllegalStateException("no")));

        assertThat(send(cancels("orders", 2)))
                .allSatisfy(answer -> assertThat(answer.failure())
                        .isInstanceOf(DelayQueueException.class)
                        .hasMessageContaining("no"));
    }

    @Test
    void nothingToSendIsAnsweredAtOnce() {
        assertThat(send(List.of())).isEmpty();
        assertThat(store.calls("apply")).isEmpty();
    }

    private static Mood failingFirst(int count, RuntimeException failure) {
        AtomicInteger calls = new AtomicInteger();
        return new Mood() {
            @Override
            public <T> CompletableFuture<T> answer(Supplier<T> usual) {
                return calls.incrementAndGet() <= count
                        ? CompletableFuture.failedFuture(failure)
                        : CompletableFuture.completedFuture(usual.get());
            }
        };
    }

    private static List<OutboxOperation> cancels(String topic, int count) {
        return new ArrayList<>(IntStream.range(0, count)
                .mapToObj(i -> new OutboxOperation.Cancel(topic, "id " + i, OutboxOperation.newToken()))
                .toList());
    }

    private List<OutboxAnswer> send(List<OutboxOperation> operations) {
        return outbox.send(operations, SleepyStore.NOW)
                .orTimeout(25, TimeUnit.SECONDS)
                .join()
                .answers();
    }
}
