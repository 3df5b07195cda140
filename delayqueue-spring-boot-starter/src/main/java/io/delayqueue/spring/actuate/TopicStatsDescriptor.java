package io.delayqueue.spring.actuate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Message counts of a topic, those of a partition at one instant.
 *
 * @param paused whether delivery of the topic is paused
 * @param pending messages that no consumer has
 * @param inFlight number of messages leased to a consumer
 * @param dead number of dead letters kept
 * @param totals counters since the topic's first message
 * @param unaccounted accepted messages that are neither in Redis nor counted as ended; 0 unless keys were deleted or evicted
 * @param time Redis' clock at that instant
 */
public record TopicStatsDescriptor(
        boolean paused, Pending pending, long inFlight, long dead, Totals totals, long unaccounted, Instant time) {

    /**
     * Messages that no consumer has.
     *
     * @param scheduled number of messages not yet due
     * @param ready number of due messages not yet claimed
     * @param oldestReady due time of the message that has been ready for the longest time; null if none is ready
     * @param nextDue due time of the next message to become due; null if none is scheduled
     */
    public record Pending(
            long scheduled,
            long ready,
            @Nullable Instant oldestReady,
            @Nullable Instant nextDue) {}

    /**
     * Counters since the topic's first message.
     *
     * @param accepted messages accepted by {@code schedule}; a replaced message counts once
     * @param acked messages handled
     * @param cancelled messages cancelled before they were handled
     * @param expired messages dropped because their time to live was over
     * @param purged messages that an operator's call deleted, dead letters deleted by retention, and orphaned messages cleaned up
     * @param retried attempts that failed or crashed and were followed by another
     * @param deadLettered times that a message became a dead letter
     * @param redriven dead letters made due again
     * @param orphaned messages found incomplete because keys had been deleted or evicted
     * @param deferred times that a due message was deferred to a newer version of this library
     * @param postponed times that a handler postponed its message
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
            long postponed) {}
}
