package io.delayqueue.internal.engine;

import java.time.Duration;
import java.util.Collection;

/** Renews the leases of messages that are being handled, when a third of the lease is over. */
final class LeaseKeeper implements Runnable {

    private final Collection<InFlightMessage> inHands;
    private final Duration lease;

    /** @param inHands a live view of what is in hand */
    LeaseKeeper(Collection<InFlightMessage> inHands, Duration lease) {
        this.inHands = inHands;
        this.lease = lease;
    }

    /** How often to look: often enough that two renewals may fail and the third still comes in time. */
    Duration interval() {
        return lease.dividedBy(6);
    }

    @Override
    public void run() {
        runOnce();
    }

    /** Renews what needs it; does not wait for the answers. */
    void runOnce() {
        long threshold = lease.toNanos() / 3 * 2;
        for (InFlightMessage inHand : inHands) {
            if (inHand.leaseNanosLeft() < threshold && inHand.startRenewing()) {
                inHand.settlements()
                        .submit(new Settlement.Extend(inHand, lease))
                        .whenComplete((held, error) -> inHand.endRenewing());
            }
        }
    }
}
