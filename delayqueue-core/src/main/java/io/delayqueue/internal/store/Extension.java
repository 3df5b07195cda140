package io.delayqueue.internal.store;

import java.time.Duration;

/**
 * A lease to be renewed.
 *
 * @param lease the right to renew
 * @param duration from now
 */
public record Extension(Lease lease, Duration duration) {}
