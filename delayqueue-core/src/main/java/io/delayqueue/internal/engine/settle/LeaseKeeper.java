package io.delayqueue.internal.engine.settle;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renews the leases of messages in flight, once a third of the lease is over. */
public final class LeaseKeeper implements Runnable {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

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

    /** Renews the leases that need it; does not wait for the answers. */
    @Override
    public void run() {
        try {
            renew();
        } catch (RuntimeException | Error e) {
            // thrown, it would end all later runs
            log.error("Leases could not be renewed; trying again in {}", interval(), e);
        }
    }

    private void renew() {
        long threshold = lease.toNanos() / 3 * 2;
        for (InFlightMessage message : settlements.inFlight()) {
            if (message.leaseNanosLeft() < threshold && message.beginRenewal()) {
                settlements.extend(message, lease).whenComplete((held, error) -> message.endRenewal());
            }
        }
    }
}
