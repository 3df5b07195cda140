package io.delayqueue.internal.store;

import io.delayqueue.DeadLetter;
import io.delayqueue.Delay;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A store's operations on the dead letters of a partition. The rules of {@link MessageStore} hold. */
public interface DeadLetterStore {

    /** Passed to {@link #redriveUntil}, it means the time of the call. */
    long NOW = -1;

    /** A page of dead letters, latest first. */
    CompletableFuture<List<DeadLetter>> list(Partition partition, int offset, int limit);

    /** As {@link #list(Partition, int, int)}, without their contents. */
    CompletableFuture<List<DeadLetterKey>> keys(Partition partition, int offset, int limit);

    /** The dead letters among these ids, in the order of the ids. */
    CompletableFuture<DeadLetterStep> list(Partition partition, List<String> ids);

    /** Number of dead letters before the first bound, from each bound to the next, and at the last one or later. */
    CompletableFuture<List<Long>> count(Partition partition, List<Instant> bounds);

    /** Redrives those of a selection that are dead, in the order of its ids or the longest dead first. */
    CompletableFuture<RedriveStep> redrive(Partition partition, Selection selection, RedriveTimes times);

    /** Redrives these, in their order, if they are dead. */
    default CompletableFuture<RedriveStep> redrive(Partition partition, List<String> ids, RedriveTimes times) {
        return redrive(partition, Selection.of(ids), times);
    }

    /** Redrives up to {@link MessageStore#LARGEST_BATCH} messages dead-lettered until then. */
    CompletableFuture<RedriveStep> redriveUntil(Partition partition, long untilMicros, RedriveTimes times);

    /** Purges those of a selection that are dead; their ids. */
    CompletableFuture<List<String>> purge(Partition partition, Selection selection);

    /** Purges these; those that were dead. */
    default CompletableFuture<List<String>> purge(Partition partition, List<String> ids) {
        return purge(partition, Selection.of(ids));
    }

    /** Purges up to {@link MessageStore#LARGEST_BATCH} messages dead-lettered longer ago; their ids. */
    CompletableFuture<List<String>> purgeOlderThan(Partition partition, Duration age);

    /**
     * As {@link #purgeOlderThan}, by the retention that the topic's consumers recorded, and whatever the partition count is.
     *
     * @param retention counts if none is recorded
     */
    CompletableFuture<List<String>> purgeByRetention(Partition partition, Duration retention);

    /**
     * Where a dead letter is found.
     *
     * @param id its id
     * @param micros when it was dead-lettered, µs since the epoch
     */
    record DeadLetterKey(String id, long micros) {}

    /**
     * Dead letters of some ids.
     *
     * @param letters those that are there
     * @param isComplete false if further ones were left out, as their bodies are large
     */
    record DeadLetterStep(List<DeadLetter> letters, boolean isComplete) {}

    /**
     * The due times of redriven messages.
     *
     * @param first of the first message
     * @param microsBetween from one message to the next; may have a fraction
     */
    record RedriveTimes(Delay first, double microsBetween) {

        /** All at once. */
        public static final RedriveTimes NOW = new RedriveTimes(Delay.NONE, 0);

        /** Time from one message to the next. */
        public Duration between() {
            return Duration.ofNanos((long) (microsBetween * 1_000));
        }
    }

    /**
     * One step of a redrive.
     *
     * @param ids messages that were redriven, in the order of their due times
     * @param timeMicros the store's clock
     */
    record RedriveStep(List<String> ids, long timeMicros) {

        /** Number of messages redriven. */
        public int count() {
            return ids.size();
        }
    }
}
