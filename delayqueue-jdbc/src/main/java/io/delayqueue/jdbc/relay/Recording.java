package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.outbox.MessageId;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * On a thread of its own, records a batch that was sent, while the next one is read and sent. One batch at a time, so that no more than two
 * are in memory. For one caller's thread.
 */
final class Recording {

    /** An idle thread ends. */
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor executor;
    private volatile Future<?> current = CompletableFuture.completedFuture(null);
    private volatile Set<MessageId> ids = Set.of();

    Recording(String threadName) {
        this.executor =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, threadName);
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
    }

    /**
     * Begins to record a batch when the one before is recorded.
     *
     * @param batch ids whose changes it may send again, asked for then
     * @throws RuntimeException if the one before failed; this one is recorded all the same
     */
    void begin(Supplier<Set<MessageId>> batch, Runnable task) throws InterruptedException {
        RuntimeException former = null;
        try {
            await();
        } catch (RuntimeException e) {
            former = e;
        }
        ids = batch.get();
        current = executor.submit(task);
        if (former != null) {
            throw former;
        }
    }

    /** Waits for a batch with one of these ids: the changes of an id are sent one after the other. */
    void awaitIfOf(Set<MessageId> some) throws InterruptedException {
        if (!Collections.disjoint(ids, some)) {
            awaitEnd();
        }
    }

    /** Waits until the batch is recorded, or that failed, which is told later. */
    void awaitEnd() throws InterruptedException {
        try {
            current.get();
        } catch (ExecutionException e) {
            // await() throws it
        }
    }

    /**
     * Waits until the batch is recorded.
     *
     * @throws RuntimeException if that failed
     */
    void await() throws InterruptedException {
        Future<?> awaited = current;
        try {
            awaited.get();
        } catch (ExecutionException e) {
            throw FutureFailures.unchecked(e);
        } finally {
            if (awaited.isDone()) {
                ids = Set.of();
                current = CompletableFuture.completedFuture(null);
            }
        }
    }

    /** Whether nothing is being recorded, and no failure is to be told. */
    boolean isDone() {
        return ids.isEmpty();
    }
}
