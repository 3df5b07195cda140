/**
 * From a handled message back to Redis: messages in flight, their settlements in batches, their leases. Depends on
 * {@code shared}, not on how messages are claimed or handled.
 */
@NullMarked
package io.delayqueue.internal.engine.settle;

import org.jspecify.annotations.NullMarked;
