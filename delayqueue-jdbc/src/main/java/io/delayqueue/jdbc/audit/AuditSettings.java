package io.delayqueue.jdbc.audit;

import java.time.Duration;

/**
 * How events are kept and written.
 *
 * @param policy treatment of messages while the journal takes no events
 * @param capacity maximum number of events in memory
 * @param capacityBytes about the maximum of their bytes
 * @param flushInterval longest time that an event waits for others, to be written with them
 */
public record AuditSettings(AuditPolicy policy, int capacity, long capacityBytes, Duration flushInterval) {

    /** The defaults. */
    public static final AuditSettings DEFAULTS =
            new AuditSettings(AuditPolicy.FLOW, 100_000, 32L << 20, Duration.ofMillis(200));

    public AuditSettings {
        if (capacity < 1 || capacityBytes < 1 || flushInterval.isNegative() || flushInterval.isZero()) {
            throw new IllegalArgumentException(
                    "capacity, capacityBytes and flushInterval of the audit must be positive, not " + capacity + ", "
                            + capacityBytes + " and " + flushInterval);
        }
    }
}
