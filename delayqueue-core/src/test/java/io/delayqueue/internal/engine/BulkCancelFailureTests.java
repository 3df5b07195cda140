package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.BulkCancelException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bulk cancels of which some calls fail. */
class BulkCancelFailureTests {

    private static final int PARTITIONS = 4;
    private static final int BATCHES = 5;

    private final SleepyStore store = new SleepyStore();
    private final Engine engine = new Engine(
            store,
            DelayQueueOptions.builder()
                    .completionExecutor(Runnable::run)
                    .topic(
                            "orders",
                            TopicOptions.builder().partitions(PARTITIONS).build())
                    .build());

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    @Test
    void aPartitionThatDoesNotAnswerIsAskedOnceAndTheOthersGoOn() {
        List<String> ids = IntStream.range(0, BATCHES * MessageStore.LARGEST_BATCH)
                .mapToObj(i -> "id " + i)
                .toList();
        Map<Partition, List<String>> byPartition = ids.stream()
                .collect(Collectors.groupingBy(id -> new Partitioning("orders", PARTITIONS, false, List.of()).of(id)));
        store.be("cancel", firstFails());

        BulkCancelException failure =
                catchThrowableOfType(BulkCancelException.class, () -> engine.cancelAll("orders", ids));

        assertThat(byPartition).hasSize(PARTITIONS);
        assertThat(byPartition.values())
                .filteredOn(of -> failure.failures().keySet().containsAll(of))
                .hasSize(1);
        assertThat(byPartition.values())
                .filteredOn(of -> failure.outcomes().keySet().containsAll(of))
                .hasSize(PARTITIONS - 1);
        assertThat(failure.failures().values()).hasOnlyElementsOfType(RedisUnavailableException.class);
        assertThat(store.calls("cancel")).hasSize(1 + BATCHES * (PARTITIONS - 1));
    }

    private static Mood firstFails() {
        AtomicBoolean failed = new AtomicBoolean();
        return new Mood() {
            @Override
            public <T> CompletableFuture<T> answer(Supplier<T> usual) {
                return failed.getAndSet(true)
                        ? CompletableFuture.completedFuture(usual.get())
                        : CompletableFuture.failedFuture(
                                new RedisUnavailableException("cancel was not answered", "orders", null, null));
            }
        };
    }
}
