package io.delayqueue.internal.engine;

import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.OutboxStore;
import io.delayqueue.internal.store.Partition;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The partitions that remember changes which outboxes sent. Thread-safe. */
final class AppliedMemory {

    /** A program that makes up topics must not fill the memory. Partitions that are left out forget with later changes. */
    private static final int MOST_PARTITIONS = 10_000;

    private final MessageStore messages;
    private final OutboxStore store;
    private final TopicPartitions topics;
    private final Set<Partition> partitions = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean searched = new AtomicBoolean();

    AppliedMemory(MessageStore messages, TopicPartitions topics) {
        this.messages = messages;
        this.store = messages.outbox();
        this.topics = topics;
    }

    void add(Partition partition) {
        if (partitions.size() < MOST_PARTITIONS) {
            partitions.add(partition);
        }
    }

    /** Has all partitions forget what they applied before a time, one after the other. */
    CompletableFuture<Void> forget(long beforeMicros) {
        return search().thenCompose(done -> forget(List.copyOf(partitions).iterator(), beforeMicros));
    }

    /** The first time, adds the partitions of all topics: a process that sent to them may have ended before they had forgotten it. */
    private CompletableFuture<Void> search() {
        if (!searched.compareAndSet(false, true)) {
            return CompletableFuture.completedFuture(null);
        }
        return messages.topics()
                .thenCompose(names -> addAll(names.iterator()))
                .whenComplete((done, error) -> searched.set(error == null));
    }

    private CompletableFuture<Void> addAll(Iterator<String> names) {
        return names.hasNext() && partitions.size() < MOST_PARTITIONS
                ? topics.ask(names.next()).thenCompose(partitioning -> {
                    partitioning.all().forEach(this::add);
                    return addAll(names);
                })
                : CompletableFuture.completedFuture(null);
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
