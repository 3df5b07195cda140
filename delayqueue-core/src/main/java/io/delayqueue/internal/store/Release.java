package io.delayqueue.internal.store;

/**
 * A claimed message returned unhandled.
 *
 * @param lease its lease
 * @param dueMicros its due time, µs since the epoch
 * @param priority its priority
 */
public record Release(Lease lease, long dueMicros, int priority) {}
