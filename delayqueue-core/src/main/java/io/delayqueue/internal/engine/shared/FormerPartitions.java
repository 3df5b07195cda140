package io.delayqueue.internal.engine.shared;

import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.MessageStore.IdStep;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds out when the former partition counts of a topic can be forgotten: when no message is left that only those put where it is.
 * A message of a former count is never new: {@code schedule} refuses to add one. So a single search is enough, which stops at a
 * message that it finds, and continues there once that is gone. It begins anew when another server answers: a failover or a restart
 * changes the order in which a partition lists its ids, and may bring messages back. Thread-safe.
 */
final class FormerPartitions {

    /** Between two steps, so that Redis has time for others. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Ids of a step, as long as bodies are small. */
    private static final int MAX_STEP = 256;

    /** A step reads the bodies, too: with larger ones it takes fewer, so that Redis is busy for about as long. */
    private static final long MAX_STEP_BYTES = 64 * 1024;

    private final MessageStore store;
    private final ScheduledExecutorService timer;
    private final long intervalNanos;
    private final Consumer<Partitioning> onPartitioning;
    private final Map<String, Search> searches = new ConcurrentHashMap<>();

    /**
     * Searches nothing yet.
     *
     * @param intervalNanos time from one look at a topic to the next
     * @param onPartitioning gets the partition counts that Redis has
     */
    FormerPartitions(
            MessageStore store,
            ScheduledExecutorService timer,
            long intervalNanos,
            Consumer<Partitioning> onPartitioning) {
        this.store = store;
        this.timer = timer;
        this.intervalNanos = intervalNanos;
        this.onPartitioning = onPartitioning;
    }

    /** Continues the search, if it is time. To be called by a caller that pays for look-ups in former partitions. */
    void search(Partitioning known) {
        Search search = searches.compute(
                known.topic(),
                (topic, before) -> before != null && before.partitioning.equals(known) ? before : new Search(known));
        search.continueIfDue();
    }

    /** The topic has no former counts any more, or is deleted. */
    void forget(String topic) {
        searches.remove(topic);
    }

    private final class Search {

        final Partitioning partitioning;
        private final AtomicBoolean underWay = new AtomicBoolean();
        private volatile long dueNanos = System.nanoTime();
        private int number;
        private String cursor = IdStep.BEGIN;
        /** The server that made the last step in this partition; null before the first. */
        private @Nullable String server;

        private int about = 1;
        private @Nullable String found;

        Search(Partitioning partitioning) {
            this.partitioning = partitioning;
        }

        void continueIfDue() {
            if (System.nanoTime() - dueNanos >= 0 && underWay.compareAndSet(false, true)) {
                dueNanos = System.nanoTime() + intervalNanos;
                done().thenCompose(begun -> run()).whenComplete((done, error) -> underWay.set(false));
            }
        }

        /** Another process may have come to an end: asked first. */
        private CompletableFuture<Void> run() {
            return store.partitions(partitioning.topic()).thenCompose(now -> {
                if (now.partitions() != partitioning.partitions()
                        || !now.former().equals(partitioning.former())) {
                    onPartitioning.accept(now);
                    return done();
                }
                String last = found;
                return last == null
                        ? search()
                        : store.present(partition(), List.of(last))
                                .thenCompose(present -> present.isEmpty() ? search() : done());
            });
        }

        /** A step that finds a message is repeated until it finds none. */
        private CompletableFuture<Void> search() {
            if (number == searched()) {
                return store.forgetFormer(partitioning).thenAccept(onPartitioning);
            }
            return store.listIds(partition(), cursor, about).thenCompose(step -> {
                if (server != null && !server.equals(step.server())) {
                    beginAnew();
                    return search();
                }
                server = step.server();
                Optional<String> former =
                        step.ids().stream().filter(id -> !partition().isOf(id)).findFirst();
                found = former.orElse(null);
                return found != null ? done() : advance(step);
            });
        }

        private void beginAnew() {
            number = 0;
            cursor = IdStep.BEGIN;
            server = null;
        }

        private CompletableFuture<Void> advance(IdStep step) {
            cursor = step.cursor();
            if (step.isLast()) {
                number++;
                server = null;
            }
            if (!step.ids().isEmpty()) {
                long fitting =
                        MAX_STEP_BYTES / Math.max(1, step.bytes() / step.ids().size());
                about = (int) Math.max(1, Math.min(fitting, Math.min(MAX_STEP, 2 * about)));
            }
            return CompletableFuture.runAsync(() -> {}, pause()).thenCompose(paused -> search());
        }

        private Executor pause() {
            return task -> {
                try {
                    timer.schedule(task, PAUSE_NANOS, TimeUnit.NANOSECONDS);
                } catch (RejectedExecutionException closed) {
                    // the search ends with its client
                }
            };
        }

        private CompletableFuture<Void> done() {
            return CompletableFuture.completedFuture(null);
        }

        private Partition partition() {
            return new Partition(partitioning.topic(), number, partitioning.partitions());
        }

        /** The partitions that a former count used, the first ones. */
        private int searched() {
            return partitioning.former().stream().mapToInt(count -> count).max().orElse(0);
        }
    }
}
