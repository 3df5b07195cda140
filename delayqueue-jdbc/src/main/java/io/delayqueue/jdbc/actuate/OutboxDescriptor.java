package io.delayqueue.jdbc.actuate;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes that were committed and not sent to Redis yet, of all instances.
 *
 * @param lag age of the change that has waited longest; zero if none waits, null if the database is unavailable
 * @param blocked number of ids that are not sent until they are unblocked, counted up to 1,000; null if the database is unavailable
 * @param blockedIds some of them, up to 20
 * @param error why the database is unavailable, its text {@code ******} if values are hidden; null if it is available
 * @param waiting changes that wait in this instance to be sent right after their commit
 * @param handOverFails whether the last sending right after a commit failed in this instance
 * @param relayRuns whether this instance has a relay that runs
 * @param relayFails whether the last pass of this instance's relay failed
 */
public record OutboxDescriptor(
        @Nullable Duration lag,
        @Nullable Integer blocked,
        List<BlockedIdDescriptor> blockedIds,
        @Nullable String error,
        int waiting,
        boolean handOverFails,
        boolean relayRuns,
        boolean relayFails) {}
