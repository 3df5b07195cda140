package io.delayqueue.internal.engine;

import io.delayqueue.internal.store.OutboxStore;
import io.delayqueue.internal.store.Partition;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The partitions that remember changes which this client's outboxes sent. Thread-safe. */
final class AppliedMemory {

    /** A program that makes up topics must not fill the memory. Partitions that are left out forget with later changes. */
    private static final int MOST_PARTITIONS = 10_000;

    private final OutboxStore store;
    private final Set<Partition> partitions = ConcurrentHashMap.newKeySet();

    AppliedMemory(OutboxStore store) {
        this.store = store;
    }

    void add(Partition partition) {
        if (partitions.size() < MOST_PARTITIONS) {
            partitions.add(partition);
        }
    }

    /** Has all partitions forget what they applied before a time, one after the other. */
    CompletableFuture<Void> forget(long beforeMicros) {
        return forget(List.copyOf(partitions).iterator(), beforeMicros);
    }

    private CompletableFuture<Void> forget(Iterator<Partition> rest, long beforeMicros) {
        return rest.hasNext()
                ? forget(rest.next(), beforeMicros).thenCompose(done -> forget(rest, beforeMicros))
                : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Void> forget(Partition partition, long beforeMicros) {
        // first, as another thread may send to it meanwhile
        partitions.remove(partition);
        return store.forget(partition, beforeMicros)
                .whenComplete((step, error) -> {
                    if (error != null || step.left() > 0) {
                        add(partition);
                    }
                })
                .thenCompose(step -> step.forgotten() == OutboxStore.LARGEST_FORGET_STEP
                        ? forget(partition, beforeMicros)
                        : CompletableFuture.completedFuture(null));
    }
}
