package io.delayqueue.internal.engine.shared;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Purges dead letters that were kept for long enough. A purge goes on while it finds a full batch, so it is as fast as they come.
 * Consumers ask for it when a claim has told of such dead letters, so an idle topic costs no command. A client that only schedules
 * asks once a minute. A step that fails ends the purge until it is asked for again. Thread-safe.
 */
public final class DeadLetterRetention {

    /** Between two steps, so that Redis has time for others: a batch of 512 takes it about a millisecond. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Seldom enough to cost nothing, beside a schedule. */
    private static final long CHECK_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Topics whose last check is kept. Beyond, all are forgotten: each is checked once too often, and memory stays bounded. */
    private static final int MAX_CHECKED = 10_000;

    private final MessageStore store;
    private final TopicPartitions partitions;
    private final DelayQueueOptions options;
    private final SafeObserver observer;
    private final ScheduledExecutorService timer;
    private final Set<Key> underWay = ConcurrentHashMap.newKeySet();
    /** When a topic was checked last, by {@link System#nanoTime()}. */
    private final Map<String, Long> checked = new ConcurrentHashMap<>();

    /** Purges nothing yet. */
    public DeadLetterRetention(
            MessageStore store,
            TopicPartitions partitions,
            DelayQueueOptions options,
            SafeObserver observer,
            ScheduledExecutorService timer) {
        this.store = store;
        this.partitions = partitions;
        this.options = options;
        this.observer = observer;
        this.timer = timer;
    }

    private record Key(String topic, int number) {}

    /** How often a consumer has dead letters older than the retention counted: as often as they can become that old. */
    public static long intervalNanos(Duration retention) {
        Duration interval = retention.compareTo(Duration.ofMinutes(1)) < 0 ? retention : Duration.ofMinutes(1);
        return Math.max(interval.toNanos(), TimeUnit.SECONDS.toNanos(1));
    }

    /** Purges a partition of which a consumer knows that it has such dead letters. */
    public void purge(Partition partition) {
        Duration retention = options.topic(partition.topic()).deadLetterRetention();
        purge(partition, () -> store.deadLetters().purgeByRetention(partition, retention));
    }

    /** Purges a topic that this client schedules to, perhaps nobody else: at most once a minute. */
    public void purgeIfDue(String topic) {
        long now = System.nanoTime();
        Long last = checked.get(topic);
        Partitioning known = partitions.known(topic);
        if (known == null || last != null && now - last < CHECK_NANOS) {
            return;
        }
        if (checked.size() >= MAX_CHECKED) {
            checked.clear();
        }
        checked.put(topic, now);
        known.all().forEach(this::purge);
    }

    private void purge(Partition partition, Supplier<CompletableFuture<List<String>>> step) {
        Key key = new Key(partition.topic(), partition.number());
        if (underWay.add(key)) {
            next(key, step);
        }
    }

    private void next(Key key, Supplier<CompletableFuture<List<String>>> step) {
        long beganNanos = System.nanoTime();
        try {
            step.get().whenComplete((ids, error) -> {
                if (error == null && !ids.isEmpty()) {
                    observer.call(
                            told -> told.purged(key.topic(), ids, Duration.ofNanos(System.nanoTime() - beganNanos)));
                }
                if (error == null && ids.size() == MessageStore.LARGEST_BATCH) {
                    later(key, step);
                } else {
                    underWay.remove(key);
                }
            });
        } catch (RuntimeException e) {
            underWay.remove(key);
        }
    }

    private void later(Key key, Supplier<CompletableFuture<List<String>>> step) {
        try {
            timer.schedule(() -> next(key, step), PAUSE_NANOS, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            underWay.remove(key);
        }
    }
}
