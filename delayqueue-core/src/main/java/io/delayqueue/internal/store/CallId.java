package io.delayqueue.internal.store;

/**
 * Identifies one call of a consumer, so that the store recognises a repeated one.
 *
 * @param consumer id of the consumer, unique in the world
 * @param number grows with each new call of the same kind; the same when a call is repeated
 * @param repeated whether a call with this number was sent before and got no answer
 */
public record CallId(String consumer, long number, boolean repeated) {}
