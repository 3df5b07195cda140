/**
 * Schedules in groups, claims, keeps leases, settles. Knows storage only through {@link io.delayqueue.internal.store};
 * nothing of Redis.
 */
@NullMarked
package io.delayqueue.internal.engine;

import org.jspecify.annotations.NullMarked;
