/**
 * The API of the delay queue: schedule messages, consume them when they are due, look at what is there. Immutable types
 * and interfaces only; nothing but {@link io.delayqueue.DelayQueueClient#create} knows that Redis is behind it.
 */
@NullMarked
package io.delayqueue;

import org.jspecify.annotations.NullMarked;
