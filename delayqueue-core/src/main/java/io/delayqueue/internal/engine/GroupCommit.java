package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueException;
import io.delayqueue.internal.store.MessageStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends items in batches: one batch is under way, the next one gathers meanwhile. So a lone item is not delayed, and load
 * makes batches by itself. Where it pays, a batch may wait a moment for those who are about to join it.
 *
 * <p>Items of one key never share a batch and keep their order.
 */
abstract class GroupCommit<T, R> {

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Entry<T, R>> waiting = new ArrayDeque<>();
    private boolean sending;
    private boolean gathering;
    private int crowd;

    /** Sends a batch; answers one result for each item in turn, null for one that was refused. */
    abstract CompletableFuture<List<@Nullable R>> send(List<T> batch);

    /** What tells items apart that must not share a batch. */
    abstract Object key(T item);

    /** How many bytes the item adds to a batch. */
    abstract int weight(T item);

    /** What a refused item is answered. */
    abstract Throwable refusal(T item);

    /** What an item of a batch that failed is answered. */
    Throwable failure(T item, Throwable error) {
        return error;
    }

    /**
     * Whether so few may wait a moment for more although nothing is under way; {@link #later} is asked then.
     *
     * @param waiting how many there are
     * @param crowd how many there were, sent and waiting, when the last answer came
     */
    boolean mayGather(int waiting, int crowd) {
        return false;
    }

    /** Runs the task when that moment is over. Returns whether it will. */
    boolean later(Runnable task) {
        return false;
    }

    /** Sends the item as soon as may be. Complete the answer from outside and an item still waiting is not sent. */
    CompletableFuture<R> submit(T item) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        submit(item, answer);
        return answer;
    }

    /** As {@link #submit(Object)}, with the caller's own answer. */
    void submit(T item, CompletableFuture<R> answer) {
        submit(List.of(new Entry<>(item, answer)));
    }

    /** Sends the items in turn; those that fit share a batch. */
    List<CompletableFuture<R>> submitAll(List<T> items) {
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
            if (sending || mayGather(waiting.size(), crowd) && gather()) {
                return;
            }
            sending = true;
        } finally {
            lock.unlock();
        }
        sendWaiting();
    }

    /** Has what waits sent a moment later; false if it has to be sent now. */
    private boolean gather() {
        if (!gathering) {
            gathering = later(this::sendGathered);
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

    private void answered(int count) {
        lock.lock();
        try {
            crowd = count + waiting.size();
            if (!waiting.isEmpty() && mayGather(waiting.size(), crowd) && gather()) {
                sending = false;
                return;
            }
        } finally {
            lock.unlock();
        }
        sendWaiting();
    }

    private void sendWaiting() {
        // a loop, not recursion, where answers are there at once
        while (true) {
            List<Entry<T, R>> batch = takeBatch();
            if (batch.isEmpty()) {
                return;
            }
            CompletableFuture<List<@Nullable R>> answer = sendBatch(batch);
            if (!answer.isDone()) {
                answer.whenComplete((results, error) -> {
                    answered(batch.size());
                    complete(batch, results, error);
                });
                return;
            }
            answer.whenComplete((results, error) -> complete(batch, results, error));
        }
    }

    private List<Entry<T, R>> takeBatch() {
        List<Entry<T, R>> batch = new ArrayList<>();
        lock.lock();
        try {
            Set<Object> keys = new HashSet<>();
            long weights = 0;
            while (batch.size() < MessageStore.LARGEST_BATCH && !waiting.isEmpty()) {
                Entry<T, R> next = waiting.peek();
                if (!next.answer.isDone()) {
                    weights += weight(next.item);
                    boolean fits = batch.isEmpty() || weights <= MessageStore.LARGEST_BYTES;
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
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause != null ? cause : new DelayQueueException("a batch had no answer", null, null, null);
    }

    private record Entry<T, R>(T item, CompletableFuture<R> answer) {}
}
