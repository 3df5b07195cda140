package io.delayqueue.spring.operator;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a bulk operation is to change.
 *
 * @param operation {@link Operation#REDRIVE}, {@link Operation#PURGE_DEAD_LETTERS} or {@link Operation#PURGE_PENDING}
 * @param topic their topic
 * @param until latest time at which they were dead-lettered, at most now by Redis' clock; or latest due time of pending messages; null
 *     for all
 * @param errorGroup {@link ErrorGroup#id()} of dead letters; null for all
 */
public record BulkRequest(
        Operation operation,
        String topic,
        @Nullable Instant until,
        @Nullable String errorGroup) {
    public BulkRequest {
        if (operation != Operation.REDRIVE
                && operation != Operation.PURGE_DEAD_LETTERS
                && operation != Operation.PURGE_PENDING) {
            throw new IllegalArgumentException(operation.words() + " is no bulk operation");
        }
        if (operation == Operation.PURGE_PENDING && errorGroup != null) {
            throw new IllegalArgumentException("pending messages have no error group");
        }
    }
}
