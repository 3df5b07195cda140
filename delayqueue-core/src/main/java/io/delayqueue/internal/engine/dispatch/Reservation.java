package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.store.MessageStore;

/**
 * Capacity that is kept for one claim until its answer is there.
 *
 * @param slots messages for which a handler slot is free
 * @param prefetch further messages that may wait for a slot
 * @param early how many of all these messages may be claimed before they are due
 * @param maxBytes most bytes of all these messages; one may exceed it
 * @param suspect whether one of the messages for slots may be a suspect
 */
public record Reservation(int slots, int prefetch, int early, int maxBytes, boolean suspect) {

    /** No capacity. */
    public static final Reservation NONE = new Reservation(0, 0, 0);

    /** Capacity for messages above suspicion, of as many bytes as an answer may have. */
    public Reservation(int slots, int prefetch, int early) {
        this(slots, prefetch, early, MessageStore.LARGEST_BYTES, false);
    }

    /** The same capacity, for that many bytes. */
    public Reservation withMaxBytes(int bytes) {
        return new Reservation(slots, prefetch, early, bytes, suspect);
    }

    /** The same capacity, of which a suspect may take a slot. */
    public Reservation withSuspect(boolean mayTake) {
        return mayTake == suspect ? this : new Reservation(slots, prefetch, early, maxBytes, mayTake);
    }
}
