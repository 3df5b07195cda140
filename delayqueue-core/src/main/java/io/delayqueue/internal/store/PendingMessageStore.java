package io.delayqueue.internal.store;

import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A store's operations on the pending messages of a partition, for operators. The rules of {@link MessageStore} hold. */
public interface PendingMessageStore {

    /** Up to a number of pending messages after a position, in their order; see {@link PendingMessages#list}. */
    CompletableFuture<List<PendingMessage>> list(Partition partition, PendingMessages.Position after, int limit);

    /** Number of pending messages due before the first bound, from each bound to the next, and at the last one or later. */
    CompletableFuture<List<Long>> count(Partition partition, List<Instant> bounds);

    /** Purges those of a selection that are pending; their ids. */
    CompletableFuture<List<String>> purge(Partition partition, Selection selection);

    /**
     * Purges those of some messages that are pending and due until a time, and have not been replaced. Looks at the first ones only if
     * their bodies are large.
     *
     * @param generations by id, 1 to {@link MessageStore#LARGEST_BATCH}
     */
    CompletableFuture<PurgeStep> purge(Partition partition, Instant until, Map<String, String> generations);

    /**
     * A step of a purge.
     *
     * @param looked number of ids that it looked at, the first ones
     * @param ids those that it purged
     */
    record PurgeStep(int looked, List<String> ids) {}

    /** Purges these; those that were pending. */
    default CompletableFuture<List<String>> purge(Partition partition, List<String> ids) {
        return purge(partition, Selection.of(ids));
    }

    /** Purges up to {@link MessageStore#LARGEST_BATCH} pending messages due until then; their ids. */
    default CompletableFuture<List<String>> purge(Partition partition, Instant dueUntil) {
        return purge(partition, Selection.until(dueUntil, MessageStore.LARGEST_BATCH));
    }
}
