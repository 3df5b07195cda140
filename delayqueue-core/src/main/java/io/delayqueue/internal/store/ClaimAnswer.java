package io.delayqueue.internal.store;

import java.util.List;

/**
 * What a consumer got, and what was found on the way.
 *
 * @param timeMicros the store's clock, µs since the epoch
 * @param waitMicros µs until it should ask again; 0 at once, -1 if nothing is waiting
 * @param paused whether the topic is paused
 * @param claimed leased messages, in the order they should be handled
 * @param expired ids of messages whose time to live was over
 * @param takenBack ids of messages whose lease ran out and that will be delivered again
 * @param dead messages whose lease ran out in their last attempt
 * @param orphans how many messages were cleaned up whose keys somebody else deleted
 * @param partitions how many partitions the topic has
 * @param left how many due messages were put off, since a later version wrote them
 * @param strays how many messages are neither scheduled, leased nor dead, as far as it was looked for: see
 *     {@link MessageStore#recover}
 */
public record ClaimAnswer(
        long timeMicros,
        long waitMicros,
        boolean paused,
        List<Claimed> claimed,
        List<String> expired,
        List<String> takenBack,
        List<Dead> dead,
        long orphans,
        int partitions,
        long left,
        long strays) {

    /** How many of those that were leased are not due yet. */
    public long claimedAhead() {
        return claimed.stream()
                .filter(message -> message.dueMicros() > timeMicros)
                .count();
    }

    /**
     * A message that its consumers crashed on.
     *
     * @param id the message
     * @param attempts made
     */
    public record Dead(String id, int attempts) {}
}
