package io.delayqueue.internal.store;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.InFlightMessages;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ServerReport;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps messages and moves them between their states, each call in one atomic step. Takes at most {@link #LARGEST_BATCH}
 * messages a call, their ids distinct. No method blocks. Futures complete on the store's own thread within the command
 * timeout, and fail with a {@link io.delayqueue.DelayQueueException} only. A failed call may have been executed, and may
 * even arrive later.
 *
 * <p>A call that depends on the partition count fails with a {@link PartitionsChangedException} if the topic has another
 * count than its caller assumes. Calls that settle claimed messages do not depend on it.
 */
public interface MessageStore extends AutoCloseable {

    /** Most messages of a call. A larger batch would keep the server from its other clients for too long. */
    int LARGEST_BATCH = 512;

    /** Most bytes of payload of a call or an answer, for the same reason. A single message may exceed it. */
    int LARGEST_BYTES = 4 * 1024 * 1024;

    /** Partitions that one call counts at most: about a millisecond of Redis, as each takes some 22 µs. */
    int LARGEST_STATS_STEP = 50;

    /** Adds the topic to the set of known topics; idempotent. */
    CompletableFuture<Void> register(String topic);

    /**
     * Schedules messages of one topic. A message scheduled before (same id and generation) gets the answer it got then. Waits for
     * replicas where the options say so, and fails with a {@link io.delayqueue.ReplicationTimeoutException} if too few
     * confirm in time.
     */
    CompletableFuture<ScheduleAnswer> schedule(Partition partition, List<OutgoingMessage> messages);

    /** Leases due messages, or ends expired leases. The same call repeated leases no further message. */
    CompletableFuture<ClaimAnswer> claim(Partition partition, ClaimRequest request);

    /**
     * As {@link #claim(Partition, ClaimRequest)}, but fails when the connection breaks, rather than be sent again over the next one.
     *
     * @param connection number of the connection to the partition's server; if it is not the present one, the answer is a
     *     {@link ConnectionChangedException} with the present number
     */
    default CompletableFuture<ClaimAnswer> claim(Partition partition, ClaimRequest request, long connection) {
        return claim(partition, request);
    }

    /**
     * Dead-letters a step's share of unscheduled messages: those whose entry another program took out of its sorted set, so
     * that their due time is lost.
     *
     * @param cursor {@link OrphanScanStep#BEGIN}, then the cursor of the last step
     */
    CompletableFuture<OrphanScanStep> scanOrphans(Partition partition, String cursor);

    /** The time in µs by the clock that decides when the partition's messages are due. */
    CompletableFuture<Long> time(Partition partition);

    /** Ends handled messages; false for those whose lease was lost. */
    CompletableFuture<List<Boolean>> ack(Partition partition, CallId callId, List<Lease> leases);

    /** Ends failed attempts; false for those whose lease was lost. */
    CompletableFuture<List<Boolean>> retry(Partition partition, CallId callId, List<Retry> retries);

    /** Renews leases; a new receipt each, or -1 where the lease was lost. */
    CompletableFuture<List<Long>> extend(Partition partition, CallId callId, List<Extension> extensions);

    /** Returns messages unhandled; false for those whose lease was lost. */
    CompletableFuture<List<Boolean>> release(Partition partition, List<Release> releases);

    /** Forgets the recorded calls of a consumer that has ended. */
    CompletableFuture<Void> forgetConsumer(Partition partition, String consumer);

    /** See {@link io.delayqueue.DelayQueueClient#cancel}. */
    CompletableFuture<List<CancelOutcome>> cancel(Partition partition, List<String> ids);

    /** See {@link io.delayqueue.DelayQueueClient#reschedule}. */
    CompletableFuture<RescheduleAnswer> reschedule(Partition partition, List<String> ids, Delay delay);

    /** The operations for outboxes. */
    OutboxStore outbox();

    /** See {@link io.delayqueue.DelayQueueClient#find}. */
    CompletableFuture<Optional<MessageInfo>> find(Partition partition, String id);

    /** The numbers of the partitions, in the order given: a call for every {@link #LARGEST_STATS_STEP}, one after the other. */
    CompletableFuture<Map<Partition, PartitionStats>> stats(Collection<Partition> partitions);

    /** Those of the ids that have a message in the partition. */
    CompletableFuture<Set<String>> present(Partition partition, Collection<String> ids);

    /** The partition counts of a topic, as its first partition knows them. */
    CompletableFuture<Partitioning> partitions(String topic);

    /**
     * Forgets former partition counts, unless the topic has others by now: no message is left where they put it.
     *
     * @param searched what the caller knew when it began to search
     * @return the partition counts after that
     */
    CompletableFuture<Partitioning> forgetFormer(Partitioning searched);

    /**
     * A step through the ids of a partition's messages. All messages that are there from the first step to the last are listed.
     *
     * @param cursor {@link IdStep#BEGIN}, then the cursor of the last step
     * @param about about how many ids to list
     */
    CompletableFuture<IdStep> listIds(Partition partition, String cursor, int about);

    /**
     * Tells a partition the topic's new partition count, unless it knows a larger one; idempotent. Partition 0 is told last:
     * from then on the new count holds. Until then, each client that meets the new count repeats the same steps.
     *
     * @param paused whether the topic is paused
     */
    CompletableFuture<Partitioning> increasePartitions(Partition partition, boolean paused);

    /** Names of all known topics. */
    CompletableFuture<Set<String>> topics();

    /** Pauses or resumes a topic for all consumers. */
    CompletableFuture<Void> setPaused(Partition partition, boolean paused);

    /** Removes the topic from the set of known topics; false if it was not there. */
    CompletableFuture<Boolean> unregister(String topic);

    /**
     * Deletes a partition with its counters.
     *
     * @param force whether to delete messages, too; then each call deletes up to {@link #LARGEST_BATCH} of them
     */
    CompletableFuture<DeleteStep> deleteTopic(Partition partition, boolean force);

    /** The operations on dead letters. */
    DeadLetterStore deadLetters();

    /** The operations on pending messages, for operators. */
    PendingMessageStore pendingMessages();

    /**
     * Messages in flight, those whose leases end first, and who holds how many. In the place of instances it names consumers, by their
     * ids.
     */
    CompletableFuture<InFlightMessages> inFlight(Partition partition, int limit);

    /** See {@link io.delayqueue.DelayQueueClient#inspectServers}. */
    CompletableFuture<List<ServerReport>> inspect();

    /**
     * Notifies the listener when a message falls due earlier than any before it, and when such a wake-up may have been
     * missed. Never fails: subscribing is retried until it works or the result is closed. Without wake-ups, the listener is
     * never called.
     */
    AutoCloseable listen(Partition partition, WakeUpListener listener);

    /** Closes the connections that this store opened; calls under way fail. */
    @Override
    void close();

    /** Is notified of earlier messages, on the store's own thread. */
    @FunctionalInterface
    interface WakeUpListener {

        /**
         * A message is due that soon.
         *
         * @param waitMicros µs from now; 0 also if a wake-up may have been missed
         */
        void wakeUp(long waitMicros);
    }

    /**
     * Some ids of a partition.
     *
     * @param ids of its messages
     * @param cursor of the next step, if the same server makes it
     * @param bytes size of what the store read for that
     * @param server the server's process: another one, or the same one restarted, has the ids in another order
     */
    record IdStep(List<String> ids, String cursor, long bytes, String server) {

        /** Cursor of the first step. */
        public static final String BEGIN = "0";

        /** Whether all ids have been listed. */
        public boolean isLast() {
            return cursor.equals(BEGIN);
        }
    }

    /** Outcome of deleting a partition. */
    enum DeleteStep {
        /** Nothing is left. */
        DELETED,
        /** There was nothing. */
        ABSENT,
        /** Some messages are deleted; another call goes on. */
        UNFINISHED,
        /** It has messages, and nothing was deleted. */
        NOT_EMPTY
    }
}
