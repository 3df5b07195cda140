package io.delayqueue.internal.engine.shared;

import io.delayqueue.DelayQueueException;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.store.MessageStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends items in batches: while one batch is under way, the next one gathers. A lone item is not delayed, and load makes batches by
 * itself. Where it pays, a subclass has a batch wait a moment for items that are about to join it.
 *
 * <p>Two items of one key never share a batch, and keep their order. Thread-safe.
 */
public abstract class GroupCommit<T, R> {

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Entry<T, R>> waiting = new ArrayDeque<>();
    private boolean sending;
    private boolean gathering;
    private int recentBatchSize;

    /** Sends a batch. The answer has one result for each item in turn, null for an item that was refused. */
    protected abstract CompletableFuture<List<@Nullable R>> send(List<T> batch);

    /** The key of an item. */
    protected abstract Object key(T item);

    /** Bytes that the item adds to a batch. */
    protected abstract int weight(T item);

    /** The failure that a refused item is answered with. */
    protected abstract Throwable refusal(T item);

    /** The failure that an item is answered with if its batch failed. */
    protected Throwable failure(T item, Throwable error) {
        return error;
    }

    /**
     * Whether waiting items may wait a moment for more although no batch is under way; {@link #sendLater} is called then.
     *
     * @param waiting how many items wait
     * @param recentBatchSize how many items had been sent or waited when the last answer came
     */
    protected boolean mayGather(int waiting, int recentBatchSize) {
        return false;
    }

    /** Runs the task when that moment is over. Returns whether it will run. */
    protected boolean sendLater(Runnable task) {
        return false;
    }

    /** Sends the item as soon as possible. If the answer is completed from outside, an item that still waits is not sent. */
    public CompletableFuture<R> submit(T item) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        submit(item, answer);
        return answer;
    }

    /** As {@link #submit(Object)}, with the caller's own answer. */
    public void submit(T item, CompletableFuture<R> answer) {
        submit(List.of(new Entry<>(item, answer)));
    }

    /** Sends the items in turn; items that fit share a batch. */
    public List<CompletableFuture<R>> submitAll(List<T> items) {
        List<Entry<T, R>> entries = new ArrayList<>(items.size());
        List<CompletableFuture<R>> answers = new ArrayList<>(items.size());
        for (T item : items) {
            Entry<T, R> entry = new Entry<>(item, new CompletableFuture<>());
            entries.add(entry);
            answers.add(entry.answer);
        }
        submit(entries);
        return answers;
    }

    private void submit(List<Entry<T, R>> entries) {
        lock.lock();
        try {
            waiting.addAll(entries);
            if (sending || gatherIfAllowed()) {
                return;
            }
            sending = true;
        } finally {
            lock.unlock();
        }
        sendWaiting();
    }

    /** Leaves the waiting items to a task that sends them a moment later, if they may wait. Returns false if they may not. */
    private boolean gatherIfAllowed() {
        if (!mayGather(waiting.size(), recentBatchSize)) {
            return false;
        }
        if (!gathering) {
            gathering = sendLater(this::sendGathered);
        }
        return gathering;
    }

    private void sendGathered() {
        lock.lock();
        try {
            gathering = false;
            if (sending || waiting.isEmpty()) {
                return;
            }
            sending = true;
        } finally {
            lock.unlock();
        }
        sendWaiting();
    }

    private void batchAnswered(int size) {
        lock.lock();
        try {
            recentBatchSize = size + waiting.size();
            if (!waiting.isEmpty() && gatherIfAllowed()) {
                sending = false;
                return;
            }
        } finally {
            lock.unlock();
        }
        sendWaiting();
    }

    private void sendWaiting() {
        // a loop, not recursion, for answers that are there at once
        while (true) {
            List<Entry<T, R>> batch = nextBatch();
            if (batch.isEmpty()) {
                return;
            }
            CompletableFuture<List<@Nullable R>> answer = sendBatch(batch);
            if (!answer.isDone()) {
                answer.whenComplete((results, error) -> {
                    batchAnswered(batch.size());
                    complete(batch, results, error);
                });
                return;
            }
            answer.whenComplete((results, error) -> complete(batch, results, error));
        }
    }

    private List<Entry<T, R>> nextBatch() {
        List<Entry<T, R>> batch = new ArrayList<>();
        lock.lock();
        try {
            Set<Object> keys = new HashSet<>();
            long bytes = 0;
            while (batch.size() < MessageStore.LARGEST_BATCH && !waiting.isEmpty()) {
                Entry<T, R> next = waiting.peek();
                if (!next.answer.isDone()) {
                    bytes += weight(next.item);
                    boolean fits = batch.isEmpty() || bytes <= MessageStore.LARGEST_BYTES;
                    if (!fits || !keys.add(key(next.item))) {
                        break;
                    }
                    batch.add(next);
                }
                waiting.remove();
            }
            sending = !batch.isEmpty();
        } finally {
            lock.unlock();
        }
        return batch;
    }

    private CompletableFuture<List<@Nullable R>> sendBatch(List<Entry<T, R>> batch) {
        List<T> items = new ArrayList<>(batch.size());
        for (Entry<T, R> entry : batch) {
            items.add(entry.item);
        }
        try {
            return send(items);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void complete(List<Entry<T, R>> batch, @Nullable List<@Nullable R> results, @Nullable Throwable error) {
        for (int i = 0; i < batch.size(); i++) {
            Entry<T, R> entry = batch.get(i);
            R result = results != null ? results.get(i) : null;
            if (result != null) {
                entry.answer.complete(result);
            } else {
                entry.answer.completeExceptionally(
                        results != null ? refusal(entry.item) : failure(entry.item, cause(error)));
            }
        }
    }

    private static Throwable cause(@Nullable Throwable error) {
        return error != null
                ? FutureErrors.unwrap(error)
                : new DelayQueueException("a batch had no answer", null, null, null);
    }

    private record Entry<T, R>(T item, CompletableFuture<R> answer) {}
}
