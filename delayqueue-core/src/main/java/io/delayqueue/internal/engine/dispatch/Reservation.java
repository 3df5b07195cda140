package io.delayqueue.internal.engine.dispatch;

/**
 * Capacity that is kept for one claim until its answer is there.
 *
 * @param slots messages for which a handler slot is free
 * @param prefetch further messages that may wait for a slot
 * @param early how many of all these messages may be claimed before they are due
 */
public record Reservation(int slots, int prefetch, int early) {

    /** No capacity. */
    public static final Reservation NONE = new Reservation(0, 0, 0);
}
