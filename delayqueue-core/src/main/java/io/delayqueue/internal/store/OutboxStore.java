package io.delayqueue.internal.store;

import io.delayqueue.PartitionMark;
import io.delayqueue.Survey.DueCorrection;
import io.delayqueue.SurveyedMessage;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A store's operations for an outbox. As with {@link MessageStore}, no method blocks, and futures fail with its exceptions only. */
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

    /** See {@link io.delayqueue.Survey#marks}. */
    CompletableFuture<PartitionMark> mark(Partition partition);

    /**
     * Generation, state and due time of those of the ids that are there, or that something is left of.
     *
     * @param ids at most {@link MessageStore#LARGEST_BATCH}, distinct; if bodies are large, the first of them are looked at only
     */
    CompletableFuture<SurveyStep> survey(Partition partition, List<String> ids);

    /**
     * Deletes messages whatever their state, unless they are of another generation.
     *
     * @param generations ids with generations, at most {@link MessageStore#LARGEST_BATCH}
     * @return number of messages deleted
     */
    CompletableFuture<Long> drop(Partition partition, Map<String, String> generations);

    /**
     * Gives scheduled messages other due times, unless they were changed since these were found.
     *
     * @param corrections of distinct ids, at most {@link MessageStore#LARGEST_BATCH}
     * @return number of messages that are due then
     */
    CompletableFuture<Long> correctDue(Partition partition, List<DueCorrection> corrections);

    /** See {@link io.delayqueue.Survey#beginEpoch}. */
    CompletableFuture<PartitionMark> beginEpoch(Partition partition, @Nullable String expected);

    /** The store's time in µs. Where servers have clocks of their own, that of one of them. */
    CompletableFuture<Long> time();

    /**
     * Messages as they were at a time.
     *
     * @param timeMicros time of the store
     * @param looked number of ids that were looked at, the first ones
     * @param messages those of them that are there
     */
    record SurveyStep(long timeMicros, int looked, List<SurveyedMessage> messages) {}

    /**
     * A step of forgetting changes.
     *
     * @param forgotten number of changes forgotten
     * @param left number of changes left
     */
    record ForgetStep(long forgotten, long left) {}
}
