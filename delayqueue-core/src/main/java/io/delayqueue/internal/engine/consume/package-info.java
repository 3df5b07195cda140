/**
 * Subscriptions and their claim loops. Depends on {@code dispatch}, {@code settle} and {@code shared}; only the engine knows this package.
 */
@NullMarked
package io.delayqueue.internal.engine.consume;

import org.jspecify.annotations.NullMarked;
