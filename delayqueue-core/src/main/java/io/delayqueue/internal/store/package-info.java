/**
 * The port between the engine and what keeps the messages. Depends on the API only; the engine and the Redis side know
 * this package and not each other, so that a faulty double can stand in for Redis.
 */
@NullMarked
package io.delayqueue.internal.store;

import org.jspecify.annotations.NullMarked;
