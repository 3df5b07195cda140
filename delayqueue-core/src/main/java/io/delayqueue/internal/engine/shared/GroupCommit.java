package io.delayqueue.internal.engine.shared;

import io.delayqueue.DelayQueueException;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.shared.WaitingItems.Entry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends items in batches: while one batch is under way, the next one gathers. A lone item is not delayed, and load makes batches by
 * itself. Where it pays, a subclass has a batch wait a moment for items that are about to join it.
 *
 * <p>Two items of one key never share a batch. Single items keep their order, and so do those of a bulk; single items pass bulks, and
 * bulks take turns. Thread-safe.
 */
public abstract class GroupCommit<T, R> {

    private final ReentrantLock lock = new ReentrantLock();
    private final WaitingItems<T, R> waiting = new WaitingItems<>(this::key, this::weight);
    private boolean sending;
    private boolean gathering;
    private int recentBatchSize;
    private long succeededNanos = System.nanoTime();
    private @Nullable Function<T, Throwable> closed;

    /** Sends a batch. The answer has one result for each item in turn, null for an item that was refused. */
    protected abstract CompletableFuture<List<@Nullable R>> send(List<T> batch);

    /** The key of an item. */
    protected abstract Object key(T item);

    /** Bytes that the item adds to a batch. */
    protected abstract int weight(T item);

    /** The failure that a refused item is answered with. */
    protected abstract Throwable refusal(T item);

    /** Answers an item whose batch failed. */
    protected void failed(T item, CompletableFuture<R> answer, Throwable error) {
        answer.completeExceptionally(error);
    }

    /** How long an item may wait while batch after batch fails; after it, {@link #unsent} is its failure. Default: for ever. */
    protected long patienceNanos() {
        return Long.MAX_VALUE;
    }

    /** The failure of an item that was not sent, since the batches before it failed. */
    protected Throwable unsent(T item, Throwable error) {
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
        Entry<T, R> entry = new Entry<>(item, answer, System.nanoTime());
        submit(List.of(entry), () -> waiting.add(entry));
    }

    /** Sends the items of a bulk in turn, behind single items; each has its answer in the second list. */
    public void submitAll(List<T> items, List<CompletableFuture<R>> answers) {
        if (items.isEmpty()) {
            return;
        }
        Deque<Entry<T, R>> bulk = new ArrayDeque<>(items.size());
        long now = System.nanoTime();
        for (int i = 0; i < items.size(); i++) {
            bulk.add(new Entry<>(items.get(i), answers.get(i), now));
        }
        submit(bulk, () -> waiting.addBulk(bulk));
    }

    private void submit(Collection<Entry<T, R>> entries, Runnable addToWaiting) {
        Function<T, Throwable> refused;
        List<Entry<T, R>> batch = List.of();
        lock.lock();
        try {
            refused = closed;
            if (refused == null) {
                addToWaiting.run();
                if (!sending) {
                    batch = takeBatch();
                }
            }
        } finally {
            lock.unlock();
        }
        if (refused != null) {
            entries.forEach(entry -> entry.answer().completeExceptionally(refused.apply(entry.item())));
        }
        sendAll(batch);
    }

    /** Answers the waiting items, and all that come later, with these failures. A batch under way is answered as usual. */
    public void close(Function<T, Throwable> failure) {
        List<Entry<T, R>> unsent;
        lock.lock();
        try {
            closed = failure;
            unsent = waiting.takeIf(entry -> true);
        } finally {
            lock.unlock();
        }
        unsent.forEach(entry -> entry.answer().completeExceptionally(failure.apply(entry.item())));
    }

    /** Whether nothing waits or is under way. */
    public boolean isIdle() {
        lock.lock();
        try {
            return !sending && waiting.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** The batch to send now, if nothing is under way; empty if nothing waits, or if what waits may wait for more. */
    private List<Entry<T, R>> takeBatch() {
        List<Entry<T, R>> batch = waiting.isEmpty() || gather() ? List.of() : waiting.takeBatch();
        sending = !batch.isEmpty();
        return batch;
    }

    /** Leaves the waiting items to a task that sends them a moment later, if they may wait. Returns false if they may not. */
    private boolean gather() {
        if (!mayGather(waiting.size(), recentBatchSize)) {
            return false;
        }
        if (!gathering) {
            gathering = sendLater(this::sendGathered);
        }
        return gathering;
    }

    private void sendGathered() {
        List<Entry<T, R>> batch = List.of();
        lock.lock();
        try {
            gathering = false;
            if (!sending) {
                batch = waiting.takeBatch();
                sending = !batch.isEmpty();
            }
        } finally {
            lock.unlock();
        }
        sendAll(batch);
    }

    /** Sends this batch, and those that wait when it is answered. */
    private void sendAll(List<Entry<T, R>> first) {
        List<Entry<T, R>> batch = first;
        // a loop, not recursion, for answers that are there at once
        while (!batch.isEmpty()) {
            List<Entry<T, R>> sent = batch;
            CompletableFuture<List<@Nullable R>> answer = sendBatch(sent);
            if (!answer.isDone()) {
                answer.whenComplete((results, error) -> {
                    Next<T, R> next = answered(sent.size(), error);
                    sendAll(next.batch());
                    complete(sent, results, error);
                    giveUp(next.overdue(), error);
                });
                return;
            }
            answer.whenComplete((results, error) -> complete(sent, results, error));
            @Nullable
            Throwable failure = answer.handle((results, error) -> error).join();
            Next<T, R> next = answered(sent.size(), failure);
            giveUp(next.overdue(), failure);
            batch = next.batch();
        }
    }

    /** Takes the next batch; before it, if this one failed, the items that have waited for too long while batches failed. */
    private Next<T, R> answered(int size, @Nullable Throwable error) {
        long now = System.nanoTime();
        List<Entry<T, R>> overdue = List.of();
        lock.lock();
        try {
            long patience = patienceNanos();
            if (error == null) {
                succeededNanos = now;
            } else if (now - succeededNanos >= patience) {
                overdue = waiting.takeIf(entry -> now - entry.sinceNanos() >= patience);
            }
            recentBatchSize = size + waiting.size();
            return new Next<>(takeBatch(), overdue);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The items to send, and those to give up, when a batch is answered.
     *
     * @param batch to be sent
     * @param overdue not to be sent any more
     */
    private record Next<T, R>(List<Entry<T, R>> batch, List<Entry<T, R>> overdue) {}

    private void giveUp(List<Entry<T, R>> overdue, @Nullable Throwable error) {
        overdue.forEach(entry -> entry.answer().completeExceptionally(unsent(entry.item(), cause(error))));
    }

    private CompletableFuture<List<@Nullable R>> sendBatch(List<Entry<T, R>> batch) {
        List<T> items = new ArrayList<>(batch.size());
        for (Entry<T, R> entry : batch) {
            items.add(entry.item());
        }
        try {
            return send(items);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void complete(List<Entry<T, R>> batch, @Nullable List<@Nullable R> results, @Nullable Throwable error) {
        Throwable cause = results == null ? cause(error) : null;
        for (int i = 0; i < batch.size(); i++) {
            Entry<T, R> entry = batch.get(i);
            R result = results != null ? results.get(i) : null;
            if (result != null) {
                entry.answer().complete(result);
            } else if (cause == null) {
                entry.answer().completeExceptionally(refusal(entry.item()));
            } else {
                failed(entry.item(), entry.answer(), cause);
            }
        }
    }

    private static Throwable cause(@Nullable Throwable error) {
        return error != null
                ? FutureErrors.unwrap(error)
                : new DelayQueueException("a batch had no answer", null, null, null);
    }
}
