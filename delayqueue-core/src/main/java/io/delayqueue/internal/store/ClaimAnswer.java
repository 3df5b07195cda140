package io.delayqueue.internal.store;

import java.util.List;

/**
 * The messages that a consumer claimed, and what else the store did or found.
 *
 * @param timeMicros the store's clock, µs since the epoch
 * @param waitMicros µs until the next message is due or the next lease expires, suspects aside; -1 if none is pending or leased
 * @param paused whether the topic is paused
 * @param claimed leased messages, in the order in which to handle them
 * @param expired ids of messages dropped because their time to live was over
 * @param leaseExpired ids of messages whose lease expired and that will be delivered again
 * @param deadLettered messages whose lease expired in their last attempt
 * @param orphans number of messages cleaned up because another program deleted their keys
 * @param partitions partition count of the topic
 * @param deferred number of due messages deferred because a newer version wrote them
 * @param unscheduled number of messages that are neither scheduled, leased nor dead; counted only if the request names a
 *     retention. See {@link MessageStore#scanOrphans}
 * @param deadPastRetention number of dead letters that are older than the retention
 * @param suspectWaitMicros µs until a suspect is due that this claim did not lease; -1 if there is none
 * @param expectedMicros µs until the consumer should claim again, since others rely on that; -1 if they don't. It may be later than the
 *     next message is due, since this consumer relies on others as well
 */
public record ClaimAnswer(
        long timeMicros,
        long waitMicros,
        boolean paused,
        List<Claimed> claimed,
        List<String> expired,
        List<String> leaseExpired,
        List<DeadLettered> deadLettered,
        long orphans,
        int partitions,
        long deferred,
        long unscheduled,
        long deadPastRetention,
        long suspectWaitMicros,
        long expectedMicros) {

    /** Whether other consumers rely on this one's next claim. */
    public boolean isExpected() {
        return expectedMicros >= 0;
    }

    /** Number of claimed messages that are not due yet. */
    public long claimedEarly() {
        return claimed.stream()
                .filter(message -> message.dueMicros() > timeMicros)
                .count();
    }

    /**
     * A message that the store dead-lettered by itself.
     *
     * @param id the message
     * @param attempts attempts made
     */
    public record DeadLettered(String id, int attempts) {}
}
