package io.delayqueue.internal.store;

import io.delayqueue.PartitionMark;
import java.util.concurrent.CompletableFuture;

/** What a store does for an outbox. As with {@link MessageStore}, no method blocks, and futures fail with its exceptions only. */
public interface OutboxStore {

    /** Most changes that a call forgets. */
    int LARGEST_FORGET_STEP = 1000;

    /**
     * Applies changes, each once however often it is sent. Waits for replicas as {@link MessageStore#schedule} does.
     *
     * @param batch at most {@link MessageStore#LARGEST_BATCH} changes
     */
    CompletableFuture<OutboxBatchAnswer> apply(Partition partition, OutboxBatch batch);

    /** Forgets up to {@link #LARGEST_FORGET_STEP} changes that were applied before a time of the store. */
    CompletableFuture<ForgetStep> forget(Partition partition, long beforeMicros);

    /** See {@link io.delayqueue.Outbox#marks}. */
    CompletableFuture<PartitionMark> mark(Partition partition);

    /** The store's time in µs. Where servers have clocks of their own, that of one of them. */
    CompletableFuture<Long> time();

    /**
     * A step of forgetting changes.
     *
     * @param forgotten number of changes forgotten
     * @param left number of changes left
     */
    record ForgetStep(long forgotten, long left) {}
}
