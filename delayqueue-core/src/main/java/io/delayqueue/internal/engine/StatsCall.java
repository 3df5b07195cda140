package io.delayqueue.internal.engine;

import io.delayqueue.TopicStats;
import io.delayqueue.TopicStats.Pending;
import io.delayqueue.TopicStats.Totals;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.PartitionStats;
import io.delayqueue.internal.store.Partitioning;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Adds up the numbers of topics over their partitions. */
record StatsCall(MessageStore store, TopicPartitions partitions) {

    CompletableFuture<Map<String, TopicStats>> of(Set<String> topics) {
        return partitionsOf(topics)
                .thenCompose(all -> store.stats(all.stream()
                                .flatMap(partitioning -> partitioning.all().stream())
                                .toList())
                        .thenCompose(numbers -> {
                            Map<String, Integer> changed = changed(numbers);
                            return changed.isEmpty()
                                    ? CompletableFuture.completedFuture(sums(numbers))
                                    : update(changed).thenCompose(updated -> of(topics));
                        }));
    }

    private CompletableFuture<List<Partitioning>> partitionsOf(Collection<String> topics) {
        List<CompletableFuture<Partitioning>> all =
                topics.stream().map(partitions::of).toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .thenApply(done -> all.stream().map(CompletableFuture::join).toList());
    }

    /** Topics with a partition that knows of more partitions than were asked. */
    private static Map<String, Integer> changed(Map<Partition, PartitionStats> numbers) {
        return numbers.entrySet().stream()
                .filter(entry -> entry.getValue().partitions() > entry.getKey().count())
                .collect(Collectors.toMap(
                        entry -> entry.getKey().topic(),
                        entry -> entry.getValue().partitions(),
                        Math::max));
    }

    private CompletableFuture<Void> update(Map<String, Integer> changed) {
        return CompletableFuture.allOf(changed.entrySet().stream()
                .map(entry -> partitions.update(entry.getKey(), entry.getValue()))
                .toArray(CompletableFuture[]::new));
    }

    private static Map<String, TopicStats> sums(Map<Partition, PartitionStats> numbers) {
        Map<String, TopicStats> sums = new LinkedHashMap<>();
        // partitions are in the order of their topics
        numbers.forEach((partition, part) -> sums.merge(partition.topic(), part.stats(), StatsCall::sum));
        return sums;
    }

    private static TopicStats sum(TopicStats a, TopicStats b) {
        return new TopicStats(
                a.topic(),
                sum(a.pending(), b.pending()),
                a.inFlight() + b.inFlight(),
                a.dead() + b.dead(),
                sum(a.totals(), b.totals()),
                a.time().isBefore(b.time()) ? a.time() : b.time(),
                a.paused() || b.paused());
    }

    private static Pending sum(Pending a, Pending b) {
        return new Pending(
                a.scheduled() + b.scheduled(),
                a.ready() + b.ready(),
                earlier(a.oldestReady(), b.oldestReady()),
                earlier(a.nextDue(), b.nextDue()));
    }

    private static Totals sum(Totals a, Totals b) {
        return new Totals(
                a.accepted() + b.accepted(),
                a.acked() + b.acked(),
                a.cancelled() + b.cancelled(),
                a.expired() + b.expired(),
                a.purged() + b.purged(),
                a.retried() + b.retried(),
                a.deadLettered() + b.deadLettered(),
                a.redriven() + b.redriven(),
                a.orphaned() + b.orphaned(),
                a.deferred() + b.deferred(),
                a.postponed() + b.postponed());
    }

    private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.isBefore(b) ? a : b;
    }
}
