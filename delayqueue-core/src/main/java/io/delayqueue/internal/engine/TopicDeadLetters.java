package io.delayqueue.internal.engine;

import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetters;
import io.delayqueue.Delay;
import io.delayqueue.internal.Names;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** One topic's dead letters. A long call goes in steps, so that Redis never stalls. */
final class TopicDeadLetters implements DeadLetters {

    private final String topic;
    private final MessageStore store;
    private final TopicPartitions partitions;
    private final BlockingCall blocking;
    private final Runnable redriven;

    /** @param redriven told when messages became due */
    TopicDeadLetters(
            String topic, MessageStore store, TopicPartitions partitions, BlockingCall blocking, Runnable redriven) {
        this.topic = topic;
        this.store = store;
        this.partitions = partitions;
        this.blocking = blocking;
        this.redriven = redriven;
    }

    @Override
    public List<DeadLetter> list(int offset, int limit) {
        if (offset < 0 || limit < 1 || limit > MAX_PAGE_SIZE) {
            throw new IllegalArgumentException(
                    "a page of dead letters needs an offset of at least 0 and a limit of 1 to " + MAX_PAGE_SIZE
                            + ", not " + offset + " and " + limit);
        }
        return blocking.await(partitions.with(topic, partitioning -> page(partitioning, offset, limit)), topic, null);
    }

    /** Each partition lists all its dead letters that may be on the page; the page is cut out of them all. */
    private CompletableFuture<List<DeadLetter>> page(Partitioning partitioning, int offset, int limit) {
        if (partitioning.partitions() == 1) {
            return store.deadLetters(partitioning.all().get(0), offset, limit);
        }
        List<CompletableFuture<List<DeadLetter>>> parts = partitioning.all().stream()
                .map(partition -> listUpTo(partition, offset + limit, List.of()))
                .toList();
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
                .thenApply(done -> parts.stream()
                        .flatMap(part -> part.join().stream())
                        .sorted(Comparator.comparing(DeadLetter::deadLetteredAt).reversed())
                        .skip(offset)
                        .limit(limit)
                        .toList());
    }

    private CompletableFuture<List<DeadLetter>> listUpTo(Partition partition, int most, List<DeadLetter> before) {
        int limit = Math.min(MAX_PAGE_SIZE, most - before.size());
        return store.deadLetters(partition, before.size(), limit).thenCompose(step -> {
            List<DeadLetter> sofar =
                    Stream.concat(before.stream(), step.stream()).toList();
            return step.isEmpty() || sofar.size() >= most
                    ? CompletableFuture.completedFuture(sofar)
                    : listUpTo(partition, most, sofar);
        });
    }

    @Override
    public long redrive(Collection<String> ids) {
        return inSteps(
                ids,
                (partition, step) -> store.redrive(partition, step).whenComplete((count, error) -> redriven.run()));
    }

    @Override
    public long redriveAll() {
        return inEachPartition(this::redriveAll);
    }

    private long redriveAll(Partition partition) {
        long total = 0;
        long until = MessageStore.NOW;
        while (true) {
            MessageStore.RedriveStep step = blocking.await(store.redriveUntil(partition, until), topic, null);
            total += step.count();
            redriven.run();
            if (step.count() < MessageStore.LARGEST_BATCH) {
                return total;
            }
            // messages that are dead-lettered again meanwhile are left for the next call
            until = until == MessageStore.NOW ? step.timeMicros() : until;
        }
    }

    @Override
    public long purge(Collection<String> ids) {
        return inSteps(ids, store::purge);
    }

    @Override
    public long purgeOlderThan(Duration age) {
        if (age.isNegative() || age.compareTo(Delay.LONGEST) > 0) {
            throw new IllegalArgumentException("age must be from 0 to " + Delay.LONGEST + ", not " + age);
        }
        return inEachPartition(partition -> purgeOlderThan(partition, age));
    }

    private long purgeOlderThan(Partition partition, Duration age) {
        long total = 0;
        while (true) {
            long count = blocking.await(store.purgeOlderThan(partition, age), topic, null);
            total += count;
            if (count < MessageStore.LARGEST_BATCH) {
                return total;
            }
        }
    }

    private long inEachPartition(ToLongFunction<Partition> work) {
        Partitioning partitioning = blocking.await(partitions.ask(topic), topic, null);
        return partitioning.all().stream().mapToLong(work).sum();
    }

    /** A message is in one of its candidate partitions only, so it counts once. */
    private long inSteps(Collection<String> ids, BiFunction<Partition, List<String>, CompletableFuture<Long>> call) {
        List<String> distinct = new ArrayList<>(new LinkedHashSet<>(ids));
        distinct.forEach(id -> Names.requireId(topic, id));
        if (distinct.isEmpty()) {
            return 0;
        }
        Partitioning partitioning = blocking.await(partitions.ask(topic), topic, null);
        Map<Partition, List<String>> byPartition = new LinkedHashMap<>();
        for (String id : distinct) {
            for (Partition candidate : partitioning.candidates(id)) {
                byPartition
                        .computeIfAbsent(candidate, partition -> new ArrayList<>())
                        .add(id);
            }
        }
        long total = 0;
        for (Map.Entry<Partition, List<String>> part : byPartition.entrySet()) {
            List<String> all = part.getValue();
            for (int from = 0; from < all.size(); from += MessageStore.LARGEST_BATCH) {
                List<String> step = all.subList(from, Math.min(from + MessageStore.LARGEST_BATCH, all.size()));
                total += blocking.await(call.apply(part.getKey(), step), topic, null);
            }
        }
        return total;
    }
}
