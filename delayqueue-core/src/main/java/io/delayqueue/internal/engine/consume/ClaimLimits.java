package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.dispatch.Reservation;
import io.delayqueue.internal.store.MessageStore;

/**
 * How much one claim may bring.
 *
 * @param reservation capacity for its messages
 * @param maxBytes most bytes of all its messages; one may exceed it
 * @param suspect whether one of the messages for slots may be a suspect
 */
record ClaimLimits(Reservation reservation, int maxBytes, boolean suspect) {

    /** No further message: the claim repeats one that was not answered, or finds out whether Redis answers. */
    static final ClaimLimits NONE = new ClaimLimits(Reservation.NONE, MessageStore.LARGEST_BYTES, false);

    /** Messages for which a handler slot is free. */
    int slots() {
        return reservation.slots();
    }

    ClaimLimits withSuspect(boolean mayTake) {
        return new ClaimLimits(reservation, maxBytes, mayTake);
    }
}
