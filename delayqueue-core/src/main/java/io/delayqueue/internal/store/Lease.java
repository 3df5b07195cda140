package io.delayqueue.internal.store;

/**
 * The right to settle a message.
 *
 * @param id the message
 * @param receipt the lease's deadline, µs since the epoch by the store's clock, as the store last returned it
 */
public record Lease(String id, long receipt) {}
