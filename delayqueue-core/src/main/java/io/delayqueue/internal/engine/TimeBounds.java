package io.delayqueue.internal.engine;

import io.delayqueue.Delay;
import io.delayqueue.PendingMessages;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Bounds of times by which messages are counted. */
final class TimeBounds {

    private TimeBounds() {}

    static void check(List<Instant> bounds) {
        if (bounds.isEmpty() || bounds.size() > PendingMessages.MAX_BOUNDS) {
            throw new IllegalArgumentException(
                    "a count by time needs 1 to " + PendingMessages.MAX_BOUNDS + " bounds, not " + bounds.size());
        }
        Instant before = null;
        for (Instant bound : bounds) {
            if (bound.isBefore(Instant.EPOCH) || bound.isAfter(Delay.LATEST)) {
                throw new IllegalArgumentException(
                        "a bound must be from " + Instant.EPOCH + " to " + Delay.LATEST + ", not " + bound);
            }
            if (before != null && !before.isBefore(bound)) {
                throw new IllegalArgumentException("bounds must ascend, but " + bound + " follows " + before);
            }
            before = bound;
        }
    }

    /** The numbers of all partitions, added up. */
    static CompletableFuture<List<Long>> sums(
            Partitioning partitioning, Function<Partition, CompletableFuture<List<Long>>> count) {
        List<CompletableFuture<List<Long>>> parts =
                partitioning.all().stream().map(count).toList();
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).thenApply(done -> {
            List<Long> sums = new ArrayList<>(parts.get(0).join());
            parts.stream().skip(1).map(CompletableFuture::join).forEach(part -> {
                for (int i = 0; i < sums.size(); i++) {
                    sums.set(i, sums.get(i) + part.get(i));
                }
            });
            return List.copyOf(sums);
        });
    }
}
