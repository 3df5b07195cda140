package io.delayqueue.internal.engine.shared;

import io.delayqueue.internal.store.MessageStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * The items that wait for a batch. Single items come first, in their order. Bulks fill the rest of the batch, and take turns from batch
 * to batch. Guarded by the lock of its owner.
 */
final class WaitingItems<T, R> {

    /** Most of a batch that single items take while a bulk waits, so that a steady stream of them doesn't stop bulks. */
    private static final double SINGLE_ITEMS_SHARE = 0.75;

    private final Function<T, Object> key;
    private final ToIntFunction<T> weight;
    private final Deque<Entry<T, R>> singles = new ArrayDeque<>();
    private final Deque<Deque<Entry<T, R>>> bulks = new ArrayDeque<>();
    private int size;

    /**
     * Empty.
     *
     * @param key two items of one key never share a batch
     * @param weight bytes that an item adds to a batch
     */
    WaitingItems(Function<T, Object> key, ToIntFunction<T> weight) {
        this.key = key;
        this.weight = weight;
    }

    /**
     * An item and its answer.
     *
     * @param sinceNanos when it began to wait, by {@link System#nanoTime()}
     */
    record Entry<T, R>(T item, CompletableFuture<R> answer, long sinceNanos) {}

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void add(Entry<T, R> entry) {
        singles.add(entry);
        size++;
    }

    void addBulk(Deque<Entry<T, R>> bulk) {
        bulks.add(bulk);
        size += bulk.size();
    }

    /** Takes the next batch, empty if nothing waits; drops items whose answer was given up. */
    List<Entry<T, R>> takeBatch() {
        Batch batch = new Batch();
        batch.fill(singles, bulks.isEmpty() ? 1 : SINGLE_ITEMS_SHARE);
        for (int turns = bulks.size(); turns > 0 && !batch.isFull(); turns--) {
            Deque<Entry<T, R>> bulk = bulks.remove();
            batch.fill(bulk, 1);
            if (!bulk.isEmpty()) {
                bulks.add(bulk);
            }
        }
        return batch.entries;
    }

    /** Takes the items that the condition holds for. */
    List<Entry<T, R>> takeIf(Predicate<Entry<T, R>> condition) {
        List<Entry<T, R>> taken = new ArrayList<>();
        Predicate<Entry<T, R>> take = entry -> condition.test(entry) && taken.add(entry);
        singles.removeIf(take);
        bulks.forEach(bulk -> bulk.removeIf(take));
        bulks.removeIf(Deque::isEmpty);
        size -= taken.size();
        return taken;
    }

    /** The batch that is being put together. */
    private final class Batch {

        private final List<Entry<T, R>> entries = new ArrayList<>();
        private final Set<Object> keys = new HashSet<>();
        private long bytes;
        private boolean nextDoesNotFit;

        /** A bulk that would get nothing keeps its turn for the next batch. */
        private boolean isFull() {
            return nextDoesNotFit || entries.size() == MessageStore.LARGEST_BATCH;
        }

        /** Takes items in their order, up to a share of the batch, until one does not fit. */
        private void fill(Deque<Entry<T, R>> from, double share) {
            while (!from.isEmpty()) {
                Entry<T, R> next = from.element();
                if (!next.answer.isDone()) {
                    int added = weight.applyAsInt(next.item);
                    boolean fits = entries.isEmpty()
                            || entries.size() < share * MessageStore.LARGEST_BATCH
                                    && bytes + added <= share * MessageStore.LARGEST_BYTES;
                    if (!fits) {
                        nextDoesNotFit = share == 1;
                        return;
                    }
                    if (!keys.add(key.apply(next.item))) {
                        return;
                    }
                    bytes += added;
                    entries.add(next);
                }
                from.remove();
                size--;
            }
        }
    }
}
