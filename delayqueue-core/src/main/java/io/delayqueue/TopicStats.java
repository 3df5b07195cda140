package io.delayqueue;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a topic, all of one instant. Those in the past tense count since the topic's first message.
 *
 * @param topic the topic
 * @param scheduled messages accepted; one replaced counts once
 * @param waiting not yet due
 * @param ready due, waiting for a consumer
 * @param inFlight leased to a consumer
 * @param dead given up and still kept
 * @param acked handled
 * @param cancelled revoked
 * @param expired dropped because their time to live was over
 * @param purged dead letters deleted, by hand or by retention, and orphans
 * @param retried failed and crashed attempts that were followed by another
 * @param died times a message was given up
 * @param redriven dead letters brought back to life
 * @param orphaned messages found without a body, or without schedule and lease: somebody else deleted keys
 * @param left times a due message that a later version of this library wrote was put off and left to it
 * @param oldestDue due time of the message that is ready for longest; null if none is
 * @param nextDue due time of the next one not yet due; null if none is waiting
 * @param paused whether delivery is paused
 * @param time Redis' clock at that instant
 */
public record TopicStats(
        String topic,
        long scheduled,
        long waiting,
        long ready,
        long inFlight,
        long dead,
        long acked,
        long cancelled,
        long expired,
        long purged,
        long retried,
        long died,
        long redriven,
        long orphaned,
        long left,
        @Nullable Instant oldestDue,
        @Nullable Instant nextDue,
        boolean paused,
        Instant time) {
    public TopicStats {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(time, "time");
    }

    /** Messages waiting and ready. */
    public long pending() {
        return waiting + ready;
    }

    /** Messages accepted that are neither here nor accounted for: always 0, else something was lost or came twice. */
    public long unaccounted() {
        return scheduled - (pending() + inFlight + dead + acked + cancelled + expired + purged);
    }
}
