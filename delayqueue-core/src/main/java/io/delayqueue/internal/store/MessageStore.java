package io.delayqueue.internal.store;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DeadLetter;
import io.delayqueue.Delay;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ServerReport;
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
 *
 * <p>A call that has to find the right partition is refused with a {@link PartitionsChangedException} if the topic has another
 * number of them than its caller believes; those of a consumer, which has got its messages, are not.
 */
public interface MessageStore extends AutoCloseable {

    /** Most messages a call may carry. */
    int LARGEST_BATCH = 512;

    /** Most bytes of payload that a call should carry, or an answer returns (one message may exceed it). */
    int LARGEST_BYTES = 4 * 1024 * 1024;

    /** Makes the topic known; idempotent. */
    CompletableFuture<Void> register(String topic);

    /**
     * Schedules; all of one topic. A message scheduled before (same id and nonce) answers as it did then. Where replicas are
     * waited for, that adds to the time; too few are a {@link io.delayqueue.ReplicationTimeoutException}.
     */
    CompletableFuture<ScheduleAnswer> schedule(Partition partition, List<OutgoingMessage> messages);

    /** Takes back expired leases or leases what is due; the same turn repeated leases nothing more. */
    CompletableFuture<ClaimAnswer> claim(Partition partition, ClaimRequest request);

    /**
     * Dead-letters messages that somebody took out of their sorted set, as nobody knows any more when they are due; a step
     * at a time.
     *
     * @param cursor {@link RecoverStep#BEGIN}, then where the last step ended
     */
    CompletableFuture<RecoverStep> recover(Partition partition, String cursor);

    /** The time, in µs, by the clock that says when the partition's messages are due. */
    CompletableFuture<Long> time(Partition partition);

    /** Ends handled messages; false for those whose lease was lost. */
    CompletableFuture<List<Boolean>> ack(Partition partition, CallId turn, List<Lease> leases);

    /** Ends failed attempts; false for those whose lease was lost. */
    CompletableFuture<List<Boolean>> retry(Partition partition, CallId turn, List<Retry> retries);

    /** Renews leases; a new receipt each, or -1 where the lease was lost. */
    CompletableFuture<List<Long>> extend(Partition partition, CallId turn, List<Extension> extensions);

    /** Gives messages back unhandled; false for those whose lease was lost. */
    CompletableFuture<List<Boolean>> release(Partition partition, List<Release> releases);

    /** Forgets the turns of a consumer that will not come back. */
    CompletableFuture<Void> forget(Partition partition, String consumer);

    /** See {@link io.delayqueue.DelayQueueClient#cancel}. */
    CompletableFuture<List<CancelOutcome>> cancel(Partition partition, List<String> ids);

    /** See {@link io.delayqueue.DelayQueueClient#reschedule}. */
    CompletableFuture<RescheduleAnswer> reschedule(Partition partition, List<String> ids, Delay delay);

    /** See {@link io.delayqueue.DelayQueueClient#find}. */
    CompletableFuture<Optional<MessageInfo>> find(Partition partition, String id);

    /** The numbers of the partitions, in the order given; one call on a single server. */
    CompletableFuture<Map<Partition, PartitionStats>> stats(Collection<Partition> partitions);

    /** Which of the ids have a message in the partition. */
    CompletableFuture<Set<String>> present(Partition partition, Collection<String> ids);

    /** What the topic's first partition tells of its layout. */
    CompletableFuture<Partitioning> layout(String topic);

    /**
     * Tells a partition how many its topic has, unless it knows of more already; idempotent. Partition 0 is told last:
     * from then on the layout counts, and until then whoever meets the news does the same.
     *
     * @param paused whether the topic is
     */
    CompletableFuture<Partitioning> raise(Partition partition, boolean paused);

    /** Names of all known topics. */
    CompletableFuture<Set<String>> topics();

    /** Pauses or resumes a topic for all. */
    CompletableFuture<Void> setPaused(Partition partition, boolean paused);

    /** A page of dead letters, latest first. */
    CompletableFuture<List<DeadLetter>> deadLetters(Partition partition, int offset, int limit);

    /** Redrives these; how many were dead. */
    CompletableFuture<Long> redrive(Partition partition, List<String> ids);

    /** Redrives up to {@link #LARGEST_BATCH} that died until then. */
    CompletableFuture<RedriveStep> redriveUntil(Partition partition, long untilMicros);

    /** Purges these; how many were dead. */
    CompletableFuture<Long> purge(Partition partition, List<String> ids);

    /** Purges up to {@link #LARGEST_BATCH} that died longer ago; how many. */
    CompletableFuture<Long> purgeOlderThan(Partition partition, Duration age);

    /** See {@link io.delayqueue.DelayQueueClient#inspectServers}. */
    CompletableFuture<List<ServerReport>> inspect();

    /**
     * Has the listener told when a message of the topic becomes due earlier than any before it, and whenever such news may
     * have been missed. Never fails: it is tried until it works or the result is closed. Where wake-ups are off, nothing
     * is ever told.
     */
    AutoCloseable listen(Partition partition, WakeUpListener listener);

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

    /**
     * One step of looking through all messages.
     *
     * @param cursor where it ended
     * @param dead those that were dead-lettered
     */
    record RecoverStep(String cursor, List<ClaimAnswer.Dead> dead) {

        /** Where to begin, and where the last step ends. */
        public static final String BEGIN = "0";

        /** Whether this was the last step. */
        public boolean isLast() {
            return cursor.equals(BEGIN);
        }
    }
}
