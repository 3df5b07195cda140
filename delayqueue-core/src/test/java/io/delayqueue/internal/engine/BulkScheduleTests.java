package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.BulkScheduleException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisFullException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bulks whose batches fail, or take their time. */
class BulkScheduleTests {

    private static final int BATCH = MessageStore.LARGEST_BATCH;
    private static final Duration TIMEOUT = Duration.ofMillis(250);

    private final SleepyStore store = new SleepyStore();
    private final Engine engine = new Engine(
            store,
            DelayQueueOptions.builder()
                    .completionExecutor(Runnable::run)
                    .commandTimeout(TIMEOUT)
                    .maxPayload(2 * 1024 * 1024)
                    .build());

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    @Test
    void batchThatFailsHidesNoOther() {
        AtomicInteger batches = new AtomicInteger();
        store.be("schedule", everyOther(batches, new RedisFullException("full", "orders", null, null)));
        List<OutgoingMessage> messages = messages(4 * BATCH, 0);

        BulkScheduleException failure = failure(() -> engine.scheduleAll(messages));

        assertThat(failure.entries())
                .extracting(BulkScheduleException.Entry::message)
                .isEqualTo(messages);
        for (int i = 0; i < messages.size(); i++) {
            BulkScheduleException.Entry entry = failure.entries().get(i);
            if (i / BATCH % 2 == 0) {
                assertThat(entry.result()).isNull();
                assertThat(entry.error()).isInstanceOf(RedisFullException.class);
                assertThat(Objects.requireNonNull(entry.error()).id())
                        .isEqualTo(messages.get(i).id());
            } else {
                assertThat(entry.error()).isNull();
                assertThat(Objects.requireNonNull(entry.result()).id())
                        .isEqualTo(messages.get(i).id());
            }
        }
        assertThat(failure.failedMessages()).hasSize(2 * BATCH);
        assertThat(failure).hasMessageContaining("1024 of 2048 messages").hasMessageContaining("full");
    }

    @Test
    void bulkEndsSoonWhenRedisFallsSilentAndReportsSentMessages() {
        store.be("schedule", after(TIMEOUT, () -> {
            throw new RedisUnavailableException("schedule was not answered", "orders", null, null);
        }));
        List<OutgoingMessage> messages = messages(100 * BATCH, 0);
        long begun = System.nanoTime();

        BulkScheduleException failure = failure(() -> engine.scheduleAll(messages));

        // one after the other, the batches would time out for 25 s
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        int sent = store.calls("schedule").size() * BATCH;
        assertThat(sent).isLessThan(messages.size());
        assertThat(failure.failedMessages()).isEqualTo(messages);
        List<DelayQueueException> errors = failure.entries().stream()
                .map(BulkScheduleException.Entry::error)
                .map(DelayQueueException.class::cast)
                .toList();
        assertThat(errors).hasOnlyElementsOfType(RedisUnavailableException.class);
        assertThat(errors.subList(0, sent))
                .allSatisfy(error -> assertThat(error).hasMessageContaining("was not answered"));
        assertThat(errors.subList(sent, errors.size()))
                .allSatisfy(error -> assertThat(error).hasMessageContaining("was not sent to Redis"));
    }

    @Test
    void topicsDoNotWaitForOneWhosePartitionCountIsNotAnswered() {
        int topics = 20;
        AtomicInteger asked = new AtomicInteger();
        store.be("partitions", new Mood() {
            @Override
            public <T> CompletableFuture<T> answer(Supplier<T> usual) {
                return asked.getAndIncrement() == topics / 2
                        ? new CompletableFuture<>()
                        : CompletableFuture.completedFuture(usual.get());
            }
        });
        DelayQueueOptions.Builder options = DelayQueueOptions.builder();
        IntStream.range(0, topics)
                .forEach(topic -> options.topic(
                        "topic" + topic, TopicOptions.builder().partitions(2).build()));
        List<OutgoingMessage> messages = IntStream.range(0, topics * BATCH)
                .mapToObj(i -> OutgoingMessage.to("topic" + i % topics)
                        .payload(new byte[0])
                        .build())
                .toList();

        try (Engine partitioned = new Engine(store, options.build())) {
            CompletableFuture<List<ScheduleResult>> bulk = partitioned.scheduleAllAsync(messages);

            Eventually.asserted(() -> assertThat(store.calls("schedule").stream()
                            .mapToInt(call -> ((List<?>) call.argument()).size())
                            .sum())
                    .isEqualTo((topics - 1) * BATCH));
            assertThat(asked).hasValue(topics);
            assertThat(bulk).isNotDone();
        }
    }

    @Test
    void blockingBulkThatIsOutOfTimeReportsScheduledMessages() {
        AtomicInteger batches = new AtomicInteger();
        store.be("schedule", new Mood() {
            @Override
            public <T> CompletableFuture<T> answer(Supplier<T> usual) {
                return batches.getAndIncrement() == 0
                        ? CompletableFuture.completedFuture(usual.get())
                        : new CompletableFuture<>();
            }
        });

        BulkScheduleException failure = failure(() -> engine.scheduleAll(messages(BATCH + 1, 0)));

        assertThat(failure.failedMessages()).extracting(OutgoingMessage::id).containsExactly("m" + BATCH);
        assertThat(failure.entries().get(BATCH).error())
                .isInstanceOf(RedisUnavailableException.class)
                .hasMessageContainingAll("did not answer within PT", "'m" + BATCH + "'");
    }

    /** Twelve batches of 4 MiB, which take longer than a command may take. */
    @Test
    void deadlineOfABulkCountsItsBytes() {
        store.be("schedule", after(Duration.ofMillis(150), () -> null));
        List<OutgoingMessage> messages = messages(24, 2 * 1024 * 1024 - 100);
        DelayQueueOptions options = DelayQueueOptions.builder()
                .completionExecutor(Runnable::run)
                .commandTimeout(Duration.ofSeconds(1))
                .maxPayload(2 * 1024 * 1024)
                .build();

        try (Engine patient = new Engine(store, options)) {
            assertThat(patient.scheduleAll(messages))
                    .extracting(ScheduleResult::id)
                    .hasSize(24);
        }

        assertThat(store.calls("schedule")).hasSizeGreaterThanOrEqualTo(12);
    }

    @Test
    void bytesOfHeadersCountInBatches() {
        List<OutgoingMessage> messages = IntStream.range(0, 200)
                .mapToObj(i -> message("m" + i, 0)
                        .header("text", "ä".repeat(60 * 1024))
                        .build())
                .toList();

        assertThat(engine.scheduleAll(messages)).hasSize(200);

        assertThat(store.calls("schedule"))
                .allSatisfy(call -> assertThat(((List<?>) call.argument()).size() * 120L * 1024)
                        .isLessThanOrEqualTo(MessageStore.LARGEST_BYTES));
    }

    @Test
    void asyncCallThatWaitsWhileRedisIsSilentFailsUnsent() {
        store.be("schedule", after(TIMEOUT, () -> {
            throw new RedisUnavailableException("schedule was not answered", "orders", null, null);
        }));
        List<CompletableFuture<ScheduleResult>> calls =
                messages(20 * BATCH, 0).stream().map(engine::scheduleAsync).toList();

        assertThat(calls)
                .allSatisfy(call -> assertThat(call)
                        .failsWithin(10, TimeUnit.SECONDS)
                        .withThrowableThat()
                        .havingCause()
                        .isInstanceOf(RedisUnavailableException.class));
        assertThat(store.calls("schedule")).as("batches that were tried").hasSizeLessThan(6);
        int sent = store.calls("schedule").stream()
                .mapToInt(call -> ((List<?>) call.argument()).size())
                .sum();
        assertThat(calls.stream()
                        .map(call -> call.handle((done, error) -> String.valueOf(error))
                                .join())
                        .filter(error -> error.contains("was not sent to Redis")))
                .hasSize(calls.size() - sent);
    }

    private static Mood everyOther(AtomicInteger count, Exception error) {
        return new Mood() {
            @Override
            public <T> CompletableFuture<T> answer(Supplier<T> usual) {
                return count.getAndIncrement() % 2 == 0
                        ? CompletableFuture.failedFuture(error)
                        : CompletableFuture.completedFuture(usual.get());
            }
        };
    }

    /** Answers later: as usual, or by what the action throws. */
    private static Mood after(Duration delay, Supplier<?> action) {
        return new Mood() {
            @Override
            public <T> CompletableFuture<T> answer(Supplier<T> usual) {
                return CompletableFuture.supplyAsync(
                        () -> {
                            action.get();
                            return usual.get();
                        },
                        CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS));
            }
        };
    }

    private static BulkScheduleException failure(Runnable call) {
        BulkScheduleException failure = catchThrowableOfType(BulkScheduleException.class, call::run);
        assertThat(failure).isNotNull();
        return failure;
    }

    private static List<OutgoingMessage> messages(int count, int payload) {
        return IntStream.range(0, count)
                .mapToObj(i -> message("m" + i, payload).build())
                .toList();
    }

    private static OutgoingMessage.Builder message(String id, int payload) {
        return OutgoingMessage.to("orders").id(id).payload(new byte[payload]);
    }
}
