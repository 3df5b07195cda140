package io.delayqueue.internal.engine;

import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetters;
import io.delayqueue.Delay;
import io.delayqueue.RedriveOptions;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.engine.shared.SafeObserver;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.DeadLetterStore;
import io.delayqueue.internal.store.DeadLetterStore.RedriveStep;
import io.delayqueue.internal.store.DeadLetterStore.RedriveTimes;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.Selection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

/** One topic's dead letters. A long call goes in steps, so that Redis never stalls. */
final class TopicDeadLetters implements DeadLetters {

    private final String topic;
    private final DeadLetterStore store;
    private final TopicPartitions partitions;
    private final BlockingCall blocking;
    private final SafeObserver observer;
    private final PurgeSteps purges;
    private final Runnable redriven;

    /** @param redriven told when messages became due */
    TopicDeadLetters(String topic, ClientContext client, BlockingCall blocking, Runnable redriven) {
        this.topic = topic;
        this.store = client.store().deadLetters();
        this.partitions = client.partitions();
        this.observer = client.observer();
        this.blocking = blocking;
        this.purges = new PurgeSteps(topic, observer, blocking);
        this.redriven = redriven;
    }

    @Override
    public List<DeadLetter> list(int offset, int limit) {
        checkPage(offset, limit);
        DeadLetterPages pages = new DeadLetterPages(store);
        return await(partitions.with(topic, partitioning -> pages.page(partitioning, offset, limit)));
    }

    @Override
    public List<Key> listKeys(int offset, int limit) {
        checkPage(offset, limit);
        DeadLetterPages pages = new DeadLetterPages(store);
        return await(partitions.with(topic, partitioning -> pages.keys(partitioning, offset, limit))).stream()
                .map(key -> new Key(key.id(), Instant.EPOCH.plus(key.micros(), ChronoUnit.MICROS)))
                .toList();
    }

    private static void checkPage(int offset, int limit) {
        if (offset < 0 || limit < 1 || limit > MAX_PAGE_SIZE) {
            throw new IllegalArgumentException(
                    "a page of dead letters needs an offset of at least 0 and a limit of 1 to " + MAX_PAGE_SIZE
                            + ", not " + offset + " and " + limit);
        }
    }

    @Override
    public long redrive(Collection<String> ids, RedriveOptions options) {
        return redrive(ids, options, Selection::of);
    }

    @Override
    public long redriveUntil(Instant deadLettered, Collection<String> ids, RedriveOptions options) {
        return redrive(ids, options, step -> Selection.until(deadLettered, step));
    }

    private long redrive(Collection<String> ids, RedriveOptions options, Function<List<String>, Selection> selection) {
        DistinctIds distinct = DistinctIds.of(topic, ids);
        if (distinct.isEmpty()) {
            return 0;
        }
        RedrivePace pace = new RedrivePace(options);
        return distinct.inSteps(
                partitioning(),
                (partition, step) -> redrive(pace, times -> store.redrive(partition, selection.apply(step), times))
                        .count());
    }

    @Override
    public long redriveUntil(Instant deadLettered, int limit, RedriveOptions options) {
        RedrivePace pace = new RedrivePace(options);
        return upTo(
                limit,
                (partition, left) -> redrive(
                                pace, times -> store.redrive(partition, Selection.until(deadLettered, left), times))
                        .count());
    }

    /** From each partition in turn, until that many are taken. */
    private int upTo(int limit, BiFunction<Partition, Integer, Integer> step) {
        if (limit < 1 || limit > MAX_PAGE_SIZE) {
            throw new IllegalArgumentException(
                    "a step of dead letters needs a limit of 1 to " + MAX_PAGE_SIZE + ", not " + limit);
        }
        int taken = 0;
        for (Partition partition : partitioning().all()) {
            if (taken < limit) {
                taken += step.apply(partition, limit - taken);
            }
        }
        return taken;
    }

    @Override
    public long countUntil(Instant deadLettered) {
        List<Instant> bounds = List.of(deadLettered.plus(1, ChronoUnit.MICROS));
        TimeBounds.check(bounds);
        return await(partitions.with(
                        topic, partitioning -> TimeBounds.sums(partitioning, part -> store.count(part, bounds))))
                .get(0);
    }

    @Override
    public long redriveAll(RedriveOptions options) {
        RedrivePace pace = new RedrivePace(options);
        partitioning().all().forEach(partition -> redriveAll(partition, pace));
        return pace.redriven();
    }

    private void redriveAll(Partition partition, RedrivePace pace) {
        long until = DeadLetterStore.NOW;
        while (true) {
            long before = until;
            RedriveStep step = redrive(pace, times -> store.redriveUntil(partition, before, times));
            if (step.count() < MessageStore.LARGEST_BATCH) {
                return;
            }
            // messages that are dead-lettered again meanwhile are left for the next call
            until = until == DeadLetterStore.NOW ? step.timeMicros() : until;
        }
    }

    private RedriveStep redrive(RedrivePace pace, Function<RedriveTimes, CompletableFuture<RedriveStep>> call) {
        RedriveTimes times = pace.next();
        long beganNanos = System.nanoTime();
        RedriveStep step = await(call.apply(times));
        pace.took(step);
        redriven.run();
        if (step.count() > 0) {
            Duration ago = Duration.ofNanos(System.nanoTime() - beganNanos);
            observer.call(told -> told.redriven(topic, step.ids(), times.first(), times.between(), ago));
        }
        return step;
    }

    @Override
    public long purge(Collection<String> ids) {
        return purge(ids, Selection::of);
    }

    @Override
    public long purgeUntil(Instant deadLettered, Collection<String> ids) {
        return purge(ids, step -> Selection.until(deadLettered, step));
    }

    private long purge(Collection<String> ids, Function<List<String>, Selection> selection) {
        DistinctIds distinct = DistinctIds.of(topic, ids);
        return distinct.isEmpty()
                ? 0
                : distinct.inSteps(
                        partitioning(),
                        (partition, step) -> purges.one(() -> store.purge(partition, selection.apply(step))));
    }

    @Override
    public long purgeUntil(Instant deadLettered, int limit) {
        return upTo(
                limit,
                (partition, left) -> purges.one(() -> store.purge(partition, Selection.until(deadLettered, left))));
    }

    @Override
    public long purgeOlderThan(Duration age) {
        if (age.isNegative() || age.compareTo(Delay.LONGEST) > 0) {
            throw new IllegalArgumentException("age must be from 0 to " + Delay.LONGEST + ", not " + age);
        }
        return partitioning().all().stream()
                .mapToLong(partition -> purges.all(() -> store.purgeOlderThan(partition, age)))
                .sum();
    }

    private Partitioning partitioning() {
        return await(partitions.ask(topic));
    }

    private <T> T await(CompletableFuture<T> answer) {
        return blocking.await(answer, topic, null);
    }
}
