package io.delayqueue.dashboard.read;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A lease that ended although its message is still in flight.
 *
 * @param ended its end, by Redis' clock
 * @param instance instance that had it; null if unknown
 */
record ExpiredLease(Instant ended, @Nullable String instance) {}
