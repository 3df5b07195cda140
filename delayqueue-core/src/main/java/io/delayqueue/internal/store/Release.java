package io.delayqueue.internal.store;

/**
 * A claimed message returned unhandled.
 *
 * @param lease its lease
 * @param dueMicros its due time, µs since the epoch
 * @param priority its priority
 * @param suspect whether it was claimed as a suspect, and stays one
 */
public record Release(Lease lease, long dueMicros, int priority, boolean suspect) {

    /** A message above suspicion. */
    public Release(Lease lease, long dueMicros, int priority) {
        this(lease, dueMicros, priority, false);
    }
}
