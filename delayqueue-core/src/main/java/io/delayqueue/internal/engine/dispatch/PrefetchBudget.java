package io.delayqueue.internal.engine.dispatch;

import java.util.concurrent.TimeUnit;

/**
 * Counts the handler slots of a subscription, and decides how many messages it may claim: one for each free slot, and more while
 * handlers are quick. Not thread-safe.
 *
 * <p>Example with 10 slots: 3 are taken, 2 messages are ready, 4 are early. While handlers are slow, 10 - 3 - 2 - 4 = 1 message can be
 * claimed. Handlers of 1 ms allow a prefetch of 40: then 1 + 40 = 41 messages, 2 of them for slots (a quarter is kept for messages that
 * are due at once, whatever is early), and all but 2 may be early.
 */
final class PrefetchBudget {

    /** One slot of this many, and one at least, is not given to messages that are claimed early. */
    private static final int KEPT_DIVISOR = 4;

    /** Prefetched messages are at most this many times the slots: enough to hide a claim's round trip from quick handlers. */
    private static final int MAX_PREFETCH_PER_SLOT = 4;

    /** A prefetched message should get a slot within this time: half of what it may wait before it is released. */
    private static final long MAX_PREFETCH_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** No message is prefetched for this long after one found no slot in time. */
    private static final long CAUTION_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Weight of the latest handling in the mean duration: one part in this many. */
    private static final int MEAN_WEIGHT = 8;

    private final int slots;
    private final int keptForDue;
    private int taken;
    private int early;
    private int ready;
    private int reservedSlots;
    private int reservedPrefetch;
    /** Mean time for which a slot is taken; negative until one was. */
    private long meanNanos = -1;

    private long cautiousUntilNanos = System.nanoTime();

    PrefetchBudget(int slots) {
        this.slots = slots;
        this.keptForDue = Math.max(1, slots / KEPT_DIVISOR);
    }

    boolean hasFreeSlot() {
        return taken < slots;
    }

    int freeSlots() {
        return slots - taken;
    }

    int waiting() {
        return early + ready;
    }

    int takenSlots() {
        return taken;
    }

    /**
     * Counts messages that were claimed.
     *
     * @param notDue wait until they are due
     * @param due wait for a slot
     */
    void accepted(int notDue, int due) {
        early += notDue;
        ready += due;
    }

    /** An early message is due by now. */
    void becameReady() {
        early--;
        ready++;
    }

    /** Counts due messages that no longer wait for a slot. */
    void removeReady(int count) {
        ready -= count;
    }

    /** Counts early messages that no longer wait until they are due. */
    void removeEarly(int count) {
        early -= count;
    }

    /** Gives a slot to a due message. */
    void takeSlot() {
        ready--;
        taken++;
    }

    /** @param nanos for which the slot was taken */
    void freeSlot(long nanos) {
        taken--;
        meanNanos = meanNanos < 0 ? nanos : meanNanos + (nanos - meanNanos) / MEAN_WEIGHT;
    }

    /** A due message got no slot in time: stops prefetching for a while. */
    void slotsWereTooFew() {
        cautiousUntilNanos = System.nanoTime() + CAUTION_NANOS;
    }

    Capacity capacity() {
        int prefetch = maxPrefetch();
        return new Capacity(claimable(prefetch), slots + prefetch);
    }

    /** Keeps the capacity there is for a claim of at most that many messages. */
    Reservation reserve(int max) {
        int prefetch = maxPrefetch();
        int intoSlots = Math.min(max, claimableIntoSlots(prefetch));
        if (intoSlots == 0) {
            return Reservation.NONE;
        }
        int all = Math.min(max, claimable(prefetch));
        Reservation reservation = new Reservation(intoSlots, all - intoSlots, Math.max(0, all - keptForDue));
        reservedSlots += reservation.slots();
        reservedPrefetch += reservation.prefetch();
        return reservation;
    }

    /** Ends a reservation; the messages that were claimed by it are counted by now. */
    void release(Reservation reservation) {
        reservedSlots -= reservation.slots();
        reservedPrefetch -= reservation.prefetch();
    }

    private int claimable(int prefetch) {
        int intoSlots = claimableIntoSlots(prefetch);
        return intoSlots == 0 ? 0 : Math.max(intoSlots, withoutPrefetch() + prefetch);
    }

    private int claimableIntoSlots(int prefetch) {
        // while handlers are quick, messages that are not due yet don't hold up messages that are due at once
        int atLeast = prefetch == 0 ? 0 : Math.min(unreservedSlots() - ready, keptForDue - reservedSlots);
        return Math.max(0, Math.max(withoutPrefetch(), atLeast));
    }

    private int withoutPrefetch() {
        return unreservedSlots() - ready - early - reservedPrefetch;
    }

    private int unreservedSlots() {
        return slots - taken - reservedSlots;
    }

    /** The number of messages that may wait in addition to those that have a slot. */
    private int maxPrefetch() {
        if (meanNanos < 0 || System.nanoTime() - cautiousUntilNanos < 0) {
            return 0;
        }
        return (int) Math.min(MAX_PREFETCH_PER_SLOT * slots, slots * MAX_PREFETCH_NANOS / Math.max(1, meanNanos));
    }
}
