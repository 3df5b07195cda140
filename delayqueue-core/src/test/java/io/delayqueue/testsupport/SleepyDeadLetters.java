package io.delayqueue.testsupport;

import io.delayqueue.DeadLetter;
import io.delayqueue.internal.store.DeadLetterStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Selection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The dead letters of a {@link SleepyStore}: none. */
record SleepyDeadLetters(SleepyStore store) implements DeadLetterStore {

    @Override
    public CompletableFuture<List<DeadLetter>> list(Partition partition, int offset, int limit) {
        return store.called("deadLetters", offset, List::of);
    }

    @Override
    public CompletableFuture<List<DeadLetterKey>> keys(Partition partition, int offset, int limit) {
        return store.called("deadLetterKeys", offset, List::of);
    }

    @Override
    public CompletableFuture<DeadLetterStep> list(Partition partition, List<String> ids) {
        return store.called("deadLetters", ids, () -> new DeadLetterStep(List.of(), true));
    }

    @Override
    public CompletableFuture<List<Long>> count(Partition partition, List<Instant> bounds) {
        return store.called("countDead", bounds, () -> Collections.nCopies(bounds.size() + 1, 0L));
    }

    @Override
    public CompletableFuture<RedriveStep> redrive(Partition partition, Selection selection, RedriveTimes times) {
        return store.called("redrive", selection, () -> new RedriveStep(selection.ids(), SleepyStore.NOW));
    }

    @Override
    public CompletableFuture<RedriveStep> redriveUntil(Partition partition, long untilMicros, RedriveTimes times) {
        return store.called("redriveUntil", untilMicros, () -> new RedriveStep(List.of(), SleepyStore.NOW));
    }

    @Override
    public CompletableFuture<List<String>> purge(Partition partition, Selection selection) {
        return store.called("purge", selection, selection::ids);
    }

    @Override
    public CompletableFuture<List<String>> purgeOlderThan(Partition partition, Duration age) {
        return store.called("purgeOlderThan", age, List::of);
    }

    @Override
    public CompletableFuture<List<String>> purgeByRetention(Partition partition, Duration retention) {
        return store.called("purgeByRetention", partition, SleepyStore.NO_ID, retention, () -> {
            Long next = store.purged.poll();
            return Collections.nCopies(next == null ? 0 : next.intValue(), "purged");
        });
    }
}
