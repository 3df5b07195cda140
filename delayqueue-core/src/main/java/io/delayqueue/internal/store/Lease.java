package io.delayqueue.internal.store;

/**
 * The right to settle a message.
 *
 * @param id the message
 * @param receipt what the store gave for it last: its deadline in µs since the epoch, by the store's clock
 */
public record Lease(String id, long receipt) {}
