package io.delayqueue.internal.store;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DeadLetter;
import io.delayqueue.Delay;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ServerReport;
import io.delayqueue.TopicStats;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps messages and moves them between their states, each call in one atomic step. Takes at most {@link #LARGEST_BATCH}
 * messages a call, their ids distinct. No method blocks; futures complete on the store's own thread, exceptionally with a
 * {@link io.delayqueue.DelayQueueException} only, within the command timeout. A call that failed may have been done, and
 * may even arrive later.
 */
public interface MessageStore extends AutoCloseable {

    /** Most messages a call may carry. */
    int LARGEST_BATCH = 512;

    /** Most bytes of payload that a call should carry, or an answer returns (one message may exceed it). */
    int LARGEST_BYTES = 4 * 1024 * 1024;

    /** Makes the topic known; idempotent. */
    CompletableFuture<Void> register(String topic);

    /** Schedules; all of one topic. A message scheduled before (same id and nonce) answers as it did then. */
    CompletableFuture<ScheduleAnswer> schedule(String topic, List<OutgoingMessage> messages);

    /** Takes back expired leases or leases what is due; the same turn repeated leases nothing more. */
    CompletableFuture<ClaimAnswer> claim(String topic, ClaimRequest request);

    /** Ends handled messages; false for those whose lease was lost. */
    CompletableFuture<List<Boolean>> ack(String topic, Turn turn, List<Lease> leases);

    /** Ends failed attempts; false for those whose lease was lost. */
    CompletableFuture<List<Boolean>> retry(String topic, Turn turn, List<Retry> retries);

    /** Renews leases; a new receipt each, or -1 where the lease was lost. */
    CompletableFuture<List<Long>> extend(String topic, Turn turn, List<Extension> extensions);

    /** Gives messages back unhandled; false for those whose lease was lost. */
    CompletableFuture<List<Boolean>> release(String topic, List<Release> releases);

    /** Forgets the turns of a consumer that will not come back. */
    CompletableFuture<Void> forget(String topic, String consumer);

    /** See {@link io.delayqueue.DelayQueue#cancel}. */
    CompletableFuture<List<CancelOutcome>> cancel(String topic, List<String> ids);

    /** See {@link io.delayqueue.DelayQueue#reschedule}. */
    CompletableFuture<RescheduleAnswer> reschedule(String topic, List<String> ids, Delay delay);

    /** See {@link io.delayqueue.DelayQueue#find}. */
    CompletableFuture<Optional<MessageInfo>> find(String topic, String id);

    /** The numbers of the topics, in the order given; one call. */
    CompletableFuture<Map<String, TopicStats>> stats(Collection<String> topics);

    /** Names of all known topics. */
    CompletableFuture<Set<String>> topics();

    /** Pauses or resumes a topic for all. */
    CompletableFuture<Void> setPaused(String topic, boolean paused);

    /** A page of dead letters, latest first. */
    CompletableFuture<List<DeadLetter>> deadLetters(String topic, int offset, int limit);

    /** Redrives these; how many were dead. */
    CompletableFuture<Long> redrive(String topic, List<String> ids);

    /** Redrives up to {@link #LARGEST_BATCH} that died until then. */
    CompletableFuture<RedriveStep> redriveUntil(String topic, long untilMicros);

    /** Purges these; how many were dead. */
    CompletableFuture<Long> purge(String topic, List<String> ids);

    /** Purges up to {@link #LARGEST_BATCH} that died longer ago; how many. */
    CompletableFuture<Long> purgeOlderThan(String topic, Duration age);

    /** See {@link io.delayqueue.DelayQueue#inspectServer}. */
    CompletableFuture<ServerReport> inspect();

    /**
     * Has the listener told when a message of the topic becomes due earlier than any before it, and whenever such news may
     * have been missed. Never fails: it is tried until it works or the result is closed. Where wake-ups are off, nothing
     * is ever told.
     */
    AutoCloseable listen(String topic, WakeUpListener listener);

    /** Closes what this store opened; calls under way fail. */
    @Override
    void close();

    /** Hears of earlier messages, on the store's own thread. */
    @FunctionalInterface
    interface WakeUpListener {

        /**
         * Something is due that soon.
         *
         * @param waitMicros from now; 0 also if news may have been missed
         */
        void wakeUp(long waitMicros);
    }

    /** {@link #redriveUntil} with this means all that are dead now. */
    long NOW = -1;

    /**
     * One step of a long redrive.
     *
     * @param count how many were redriven
     * @param timeMicros the store's clock
     */
    record RedriveStep(long count, long timeMicros) {}
}
