package io.delayqueue.internal.store;

import java.time.Duration;

/**
 * The renewal of a lease.
 *
 * @param lease the lease
 * @param duration its new length from now
 * @param alone whether the message is a suspect whose handler begins alone: if the process dies, it is to blame
 */
public record Extension(Lease lease, Duration duration, boolean alone) {}
