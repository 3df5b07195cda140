package io.delayqueue.internal.store;

import io.delayqueue.ReceivedMessage;

/**
 * A leased message.
 *
 * @param message the message as its handler gets it
 * @param dueMicros its due time, µs since the epoch
 * @param receipt receipt of its lease
 * @param suspect whether it may have killed its last consumers
 */
public record Claimed(ReceivedMessage message, long dueMicros, long receipt, boolean suspect) {

    /** The right to settle it. */
    public Lease lease() {
        return new Lease(message.id(), receipt);
    }
}
