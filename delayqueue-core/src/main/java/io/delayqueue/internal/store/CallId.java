package io.delayqueue.internal.store;

/**
 * Names one call of a consumer, so that the store recognises it when it is repeated.
 *
 * @param consumer unique in the world
 * @param number grows with each new call of the same kind; the same when a call is repeated
 * @param repeated whether this number was sent before without an answer
 */
public record CallId(String consumer, long number, boolean repeated) {}
