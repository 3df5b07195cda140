package io.delayqueue.jdbc.actuate;

import java.time.Duration;
import java.util.List;

/**
 * Changes that were committed and not sent to Redis yet, of all instances.
 *
 * @param lag age of the change that has waited longest; zero if none waits
 * @param blocked number of ids that are not sent until somebody unblocks them, counted up to 1,000
 * @param blockedIds some of them, up to 20
 * @param waiting changes that wait in this instance to be sent right after their commit
 * @param handOverFails whether the last sending right after a commit failed in this instance
 * @param relayRuns whether this instance has a relay that runs
 * @param relayFails whether the last pass of this instance's relay failed
 */
public record OutboxDescriptor(
        Duration lag,
        int blocked,
        List<BlockedIdDescriptor> blockedIds,
        int waiting,
        boolean handOverFails,
        boolean relayRuns,
        boolean relayFails) {}
