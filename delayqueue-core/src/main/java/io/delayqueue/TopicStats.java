package io.delayqueue;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Message counts of a topic, those of a partition at one instant.
 *
 * @param topic the topic
 * @param pending messages that no consumer has: not yet due, or due and not yet claimed
 * @param inFlight messages leased to a consumer
 * @param dead dead letters that are kept
 * @param totals counters since the topic's first message
 * @param time Redis' clock at that instant
 * @param paused whether delivery is paused
 */
public record TopicStats(
        String topic, Pending pending, long inFlight, long dead, Totals totals, Instant time, boolean paused) {
    public TopicStats {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(pending, "pending");
        Objects.requireNonNull(totals, "totals");
        Objects.requireNonNull(time, "time");
    }

    /**
     * Number of accepted messages that are neither in Redis nor counted as ended. 0 unless another program deleted keys, or Redis evicted
     * them: a positive number means lost messages, a negative one duplicated messages.
     */
    public long unaccounted() {
        return totals.accepted
                - (pending.total()
                        + inFlight
                        + dead
                        + totals.acked
                        + totals.cancelled
                        + totals.expired
                        + totals.purged);
    }

    /**
     * Messages that no consumer has.
     *
     * @param scheduled not yet due
     * @param ready due, and not yet claimed by a consumer
     * @param oldestReady due time of the message that has been ready for the longest time; null if none is ready
     * @param nextDue due time of the next message to become due; null if none is scheduled
     */
    public record Pending(
            long scheduled,
            long ready,
            @Nullable Instant oldestReady,
            @Nullable Instant nextDue) {

        /** No message at all. */
        public static final Pending NONE = new Pending(0, 0, null, null);

        /** Scheduled and ready messages together. */
        public long total() {
            return scheduled + ready;
        }
    }

    /**
     * Counters since the topic's first message. They only grow.
     *
     * @param accepted messages accepted by {@code schedule}; a replaced message counts once
     * @param acked messages handled
     * @param cancelled messages cancelled before they were handled
     * @param expired messages dropped because their time to live was over
     * @param purged messages that an operator's call deleted, dead letters deleted by retention, and orphaned messages cleaned up
     * @param retried attempts that failed or crashed and were followed by another
     * @param deadLettered times that a message became a dead letter
     * @param redriven dead letters made pending again
     * @param orphaned messages found without a body, or without schedule and lease: another program deleted keys, or Redis
     *     evicted them
     * @param deferred times that a due message was deferred because a newer version of this library wrote it
     * @param postponed times that a handler postponed its message; no attempt was counted
     */
    public record Totals(
            long accepted,
            long acked,
            long cancelled,
            long expired,
            long purged,
            long retried,
            long deadLettered,
            long redriven,
            long orphaned,
            long deferred,
            long postponed) {

        /** The counters of a topic that was never used. */
        public static final Totals ZERO = new Totals(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}
