package io.delayqueue.jdbc.relay;

import org.jspecify.annotations.Nullable;

/**
 * An id whose changes are not sent any more.
 *
 * @param topic the topic
 * @param id the id
 * @param error why its first change failed
 * @param failures how often
 * @param trace trace of the last call that changed the id, as W3C's header {@code traceparent}; null if it had none
 */
public record BlockedId(
        String topic,
        String id,
        String error,
        int failures,
        @Nullable String trace) {}
