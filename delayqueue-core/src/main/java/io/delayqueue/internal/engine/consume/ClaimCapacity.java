package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.dispatch.MessageSlots;
import io.delayqueue.internal.engine.dispatch.Reservation;
import java.util.function.IntSupplier;

/**
 * The capacity of one consumer for claims: in messages, and in bytes of the client. Thread-safe.
 *
 * @param slots for messages
 * @param bytes its share
 * @param partitions how many partitions it consumes
 */
record ClaimCapacity(MessageSlots slots, BytesInFlight.Share bytes, IntSupplier partitions) {

    /** Messages that each partition can have if all have as many; at least one. */
    int fairShare() {
        return Math.max(1, slots.capacity().total() / Math.max(1, partitions.getAsInt()));
    }

    /** Keeps the capacity there is, for at most that many messages. */
    ClaimLimits reserve(int max) {
        int count = Math.min(max, slots.capacity().free());
        int maxBytes = count == 0 ? 0 : bytes.reserve(count);
        if (maxBytes == 0) {
            return ClaimLimits.NONE;
        }
        Reservation reservation = slots.reserve(max);
        if (reservation.slots() == 0) {
            bytes.release(maxBytes);
            return ClaimLimits.NONE;
        }
        return new ClaimLimits(reservation, maxBytes, false);
    }

    /** Ends a reservation, after the messages of its claim were accepted. */
    void release(ClaimLimits limits) {
        if (limits.slots() > 0) {
            bytes.release(limits.maxBytes());
        }
        slots.release(limits.reservation());
    }
}
