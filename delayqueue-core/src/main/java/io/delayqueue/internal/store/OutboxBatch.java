package io.delayqueue.internal.store;

import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes that an outbox sends to a partition.
 *
 * @param operations all of one kind, their ids distinct
 * @param readAfterMicros a time of the store before the changes were read
 * @param knownEpoch the partition's epoch as it was known before that time was asked for; null if none was
 * @param options how long after it they may come, and how long they are remembered
 */
public record OutboxBatch(
        List<OutboxOperation> operations,
        long readAfterMicros,
        @Nullable String knownEpoch,
        OutboxOptions options) {

    public OutboxBatch {
        operations = List.copyOf(operations);
    }
}
