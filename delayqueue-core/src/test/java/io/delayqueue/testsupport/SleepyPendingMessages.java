package io.delayqueue.testsupport;

import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.PendingMessageStore;
import io.delayqueue.internal.store.Selection;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The pending messages of a {@link SleepyStore}: none. */
record SleepyPendingMessages(SleepyStore store) implements PendingMessageStore {

    @Override
    public CompletableFuture<List<PendingMessage>> list(
            Partition partition, PendingMessages.Position after, int limit) {
        return store.called("pending", after, List::of);
    }

    @Override
    public CompletableFuture<List<Long>> count(Partition partition, List<Instant> bounds) {
        return store.called("countDue", bounds, () -> Collections.nCopies(bounds.size() + 1, 0L));
    }

    @Override
    public CompletableFuture<List<String>> purge(Partition partition, Selection selection) {
        return store.called("purgePending", selection, selection::ids);
    }

    @Override
    public CompletableFuture<PurgeStep> purge(Partition partition, Instant until, Map<String, String> generations) {
        return store.called(
                "purgePending",
                generations,
                () -> new PurgeStep(generations.size(), List.copyOf(generations.keySet())));
    }
}
