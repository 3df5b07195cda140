package io.delayqueue.internal.store;

import io.delayqueue.ReceivedMessage;

/**
 * A leased message.
 *
 * @param message what to hand to the handler
 * @param dueMicros when it was due, µs since the epoch
 * @param receipt of its lease
 */
public record Claimed(ReceivedMessage message, long dueMicros, long receipt) {

    /** The right to settle it. */
    public Lease lease() {
        return new Lease(message.id(), receipt);
    }
}
