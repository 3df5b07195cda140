package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.BulkScheduleException;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisFullException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.testsupport.Gate;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import io.delayqueue.testsupport.TestQueue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many callers that share one failure get an exception each. */
class OwnFailureTests {

    private static final RedisUnavailableException SHARED =
            new RedisUnavailableException("schedule of topic 'orders' was not answered", "orders", null, null);

    private final SleepyStore store = new SleepyStore();
    private final Gate gate = new Gate();
    private final Engine engine = new Engine(
            store,
            DelayQueueOptions.builder()
                    .completionExecutor(Runnable::run)
                    .topic("many", TopicOptions.builder().partitions(4).build())
                    .build());
    private final ExecutorService callers = Executors.newFixedThreadPool(20);

    @AfterEach
    void close() {
        engine.close();
        callers.shutdownNow();
    }

    @Test
    void callersOfAFailedBatchGetOneEachWithTopicAndId() {
        store.be("schedule", gate);
        CompletableFuture<ScheduleResult> before = engine.scheduleAsync(message("orders", "before"));
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            OutgoingMessage message = message("orders", "blocking" + i);
            calls.add(CompletableFuture.supplyAsync(() -> engine.schedule(message), callers));
            calls.add(engine.scheduleAsync(message("orders", "async" + i)));
        }
        TestQueue.await().until(() -> engine.waitingMessages() == 41);
        store.be("schedule", Mood.failing(SHARED));
        gate.open();

        assertThat(before).isCompleted();
        List<DelayQueueException> failures = failures(calls);
        assertOwn(failures, RedisUnavailableException.class);
        assertThat(failures).extracting(DelayQueueException::topic).containsOnly("orders");
        assertThat(failures)
                .extracting(DelayQueueException::id)
                .containsExactlyElementsOf(IntStream.range(0, 20)
                        .boxed()
                        .flatMap(i -> java.util.stream.Stream.of("blocking" + i, "async" + i))
                        .toList());
        assertThat(failures)
                .allSatisfy(failure -> assertThat(failure)
                        .hasMessageContainingAll("was not answered", "'orders'", "'" + failure.id() + "'"));
    }

    @Test
    void blockingCallersSeeTheirOwnCall() {
        store.be("schedule", Mood.failing(SHARED));

        DelayQueueException failure = failure(() -> engine.schedule(message("orders", "a")));

        assertThat(failure.getSuppressed()).hasSize(1);
        assertThat(failure.getSuppressed()[0].getStackTrace())
                .extracting(StackTraceElement::getClassName)
                .contains(getClass().getName());
        assertThat(SHARED.getSuppressed()).isEmpty();
    }

    @Test
    void callersThatWaitForThePartitionsOfATopicGetOneEach() {
        Gate partitions = new Gate();
        store.be("partitions", partitions);
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            calls.add(engine.scheduleAsync(message("many", "m" + i)));
            calls.add(engine.cancelAsync("many", "m" + i));
            calls.add(engine.rescheduleAsync("many", "m" + i, Delay.NONE));
            calls.add(engine.findAsync("many", "m" + i));
        }
        store.be("increasePartitions", Mood.failing(SHARED));
        partitions.open();

        List<DelayQueueException> failures = failures(calls);
        assertOwn(failures, RedisUnavailableException.class);
        assertThat(failures).allSatisfy(failure -> {
            assertThat(failure.topic()).isEqualTo("many");
            assertThat(failure.id()).startsWith("m");
        });
    }

    @Test
    void messagesOfABulkHaveOneEach() {
        RedisFullException shared = new RedisFullException("full", "orders", null, null);
        store.be("schedule", Mood.failing(shared));

        BulkScheduleException failure = (BulkScheduleException)
                failure(() -> engine.scheduleAll(List.of(message("orders", "a"), message("orders", "b"))));

        List<DelayQueueException> each = failure.entries().stream()
                .map(BulkScheduleException.Entry::error)
                .map(DelayQueueException.class::cast)
                .toList();
        assertOwn(each, RedisFullException.class, shared);
        assertThat(each).extracting(DelayQueueException::id).containsExactly("a", "b");
    }

    private static void assertOwn(List<DelayQueueException> failures, Class<? extends DelayQueueException> type) {
        assertOwn(failures, type, SHARED);
    }

    private static void assertOwn(
            List<DelayQueueException> failures, Class<? extends DelayQueueException> type, Throwable shared) {
        Set<Throwable> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
        distinct.addAll(failures);
        assertThat(distinct).hasSameSizeAs(failures).doesNotContain(shared);
        assertThat(failures)
                .hasOnlyElementsOfType(type)
                .allSatisfy(failure -> assertThat(failure).hasCause(shared));
        assertThat(shared.getSuppressed()).isEmpty();
    }

    private static List<DelayQueueException> failures(List<CompletableFuture<?>> calls) {
        return calls.stream().map(call -> failure(call::join)).toList();
    }

    private static DelayQueueException failure(Supplier<?> call) {
        try {
            throw new AssertionError("no failure but " + call.get());
        } catch (RuntimeException e) {
            return (DelayQueueException) FutureErrors.unwrap(e);
        }
    }

    private static OutgoingMessage message(String topic, String id) {
        return OutgoingMessage.to(topic).id(id).payload(new byte[0]).build();
    }
}
