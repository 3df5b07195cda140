package io.delayqueue.internal.store;

/**
 * A message given back unhandled.
 *
 * @param lease the right to give it back
 * @param dueMicros when it was due, µs since the epoch
 * @param priority of the message
 */
public record Release(Lease lease, long dueMicros, int priority) {}
