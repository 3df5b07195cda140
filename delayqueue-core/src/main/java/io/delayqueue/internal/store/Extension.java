package io.delayqueue.internal.store;

import java.time.Duration;

/**
 * The renewal of a lease.
 *
 * @param lease the lease
 * @param duration its new length from now
 */
public record Extension(Lease lease, Duration duration) {}
