package io.delayqueue.jdbc.relay;

import org.jspecify.annotations.Nullable;

/**
 * An id whose changes are not sent any more.
 *
 * @param topic the topic
 * @param id the id
 * @param error error of its first change
 * @param failures number of times that its first change failed
 * @param trace trace of the last call that changed the id, as W3C's header {@code traceparent}; null if it had none
 */
public record BlockedId(
        String topic,
        String id,
        String error,
        int failures,
        @Nullable String trace) {}
