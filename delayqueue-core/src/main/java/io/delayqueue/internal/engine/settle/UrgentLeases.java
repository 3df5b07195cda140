package io.delayqueue.internal.engine.settle;

import java.time.Duration;
import java.util.Collection;

/**
 * Finds the leases of one partition that are about to end although a call about their message is under way. That happens only after
 * Redis was silent for long: a lease is renewed when a third of it is over. Looks at each message seldom. Called by one thread at a
 * time, the one that claims.
 */
final class UrgentLeases {

    /** A lease is urgent in its last quarter. Until Redis falls silent, at least half of each lease is left. */
    private static final int URGENT_DIVISOR = 4;

    private final Collection<InFlightMessage> inFlight;
    private final int partition;
    private final long leaseNanos;
    private final long urgentNanos;
    /** No lease of the partition is urgent before this time. */
    private long noneBeforeNanos;

    UrgentLeases(Collection<InFlightMessage> inFlight, int partition, Duration lease) {
        this.inFlight = inFlight;
        this.partition = partition;
        this.leaseNanos = lease.toNanos();
        this.urgentNanos = leaseNanos / URGENT_DIVISOR;
        this.noneBeforeNanos = System.nanoTime() + untilUrgent(leaseNanos);
    }

    /** A message was claimed, perhaps a while ago. */
    void added(InFlightMessage message) {
        long urgentAt = System.nanoTime() + untilUrgent(message.leaseNanosLeft());
        if (urgentAt - noneBeforeNanos < 0) {
            noneBeforeNanos = urgentAt;
        }
    }

    /** Whether a closer look is worth it; costs nothing. */
    boolean mayExist() {
        return System.nanoTime() - noneBeforeNanos >= 0;
    }

    /**
     * Looks at each message. Returns whether there is an urgent lease. A message without a call under way does not count: nothing would
     * end its urgency.
     */
    boolean search() {
        boolean found = false;
        long next = untilUrgent(leaseNanos);
        for (InFlightMessage message : inFlight) {
            if (message.partition() == partition) {
                long left = untilUrgent(message.leaseNanosLeft());
                if (left > 0) {
                    next = Math.min(next, left);
                } else {
                    found |= message.awaitsAnswer();
                }
            }
        }
        noneBeforeNanos = System.nanoTime() + (found ? 0 : next);
        return found;
    }

    private long untilUrgent(long leaseNanosLeft) {
        return leaseNanosLeft - urgentNanos;
    }
}
