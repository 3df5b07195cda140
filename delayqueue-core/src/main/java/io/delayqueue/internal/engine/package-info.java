/**
 * The engine behind the client: schedules, subscribes, and answers questions about topics. A message's way leads from here through
 * {@code consume}, {@code dispatch} and {@code settle}. Knows storage only through {@link io.delayqueue.internal.store}, and nothing of
 * Redis.
 */
@NullMarked
package io.delayqueue.internal.engine;

import org.jspecify.annotations.NullMarked;
