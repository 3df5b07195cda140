/**
 * API of the delay queue: schedules messages, consumes them once they are due, and inspects topics. Immutable types and
 * interfaces only; no type but {@link io.delayqueue.DelayQueueClient#create} refers to a Redis client.
 */
@NullMarked
package io.delayqueue;

import org.jspecify.annotations.NullMarked;
