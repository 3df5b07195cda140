package io.delayqueue.internal.engine.settle;

import io.delayqueue.internal.engine.shared.ThrottledLog;
import java.time.Duration;

/** Renews the leases of messages in flight, once a third of the lease is over. */
public final class LeaseKeeper implements Runnable {

    private final ThrottledLog problems = new ThrottledLog("Leases");
    private final Settlements settlements;
    private final Duration lease;

    /**
     * Keeps the leases of one subscription.
     *
     * @param settlements know the messages in flight
     */
    public LeaseKeeper(Settlements settlements, Duration lease) {
        this.settlements = settlements;
        this.lease = lease;
    }

    /** Time between two runs: so short that two renewals may fail and the third is still in time. */
    public Duration interval() {
        return lease.dividedBy(6);
    }

    /** Renews the leases that need it; does not wait for the answers. Throws nothing: that would end all later runs. */
    @Override
    public void run() {
        try {
            renewOldLeases();
        } catch (Throwable e) {
            report(e);
        }
    }

    private void renewOldLeases() {
        long threshold = lease.toNanos() / 3 * 2;
        for (InFlightMessage message : settlements.inFlight()) {
            if (message.leaseNanosLeft() < threshold && message.beginRenewal()) {
                // a suspect is not alone from now on: kept alone, it could be blamed for a handler that begins
                // meanwhile
                settlements.extend(message, lease).whenComplete((held, error) -> {
                    message.endRenewal();
                    if (error != null) {
                        report(error);
                    }
                });
            }
        }
    }

    private void report(Throwable error) {
        problems.failed("a renewal failed; the next one follows in " + interval(), error);
    }
}
