package io.delayqueue.dashboard.read;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reads that viewers share: those who ask for the same while it is read, or shortly after, get the same answer. A failure is shared
 * likewise, so that many viewers don't repeat it. Thread-safe.
 *
 * @param <K> what is read
 */
final class SharedReads<K extends SharedReads.Read> {

    private final Executor executor;
    private final int maxKept;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<K, Shared> shared = new LinkedHashMap<>(16, 0.75f, true);

    /** A read; two that read the same are equal. */
    interface Read {

        /** Reads it, by calls that end. */
        Object read();

        /** Time for which the answer is good. */
        Duration lifetime();
    }

    private static final class Shared {
        final CompletableFuture<Object> answer = new CompletableFuture<>();
        volatile long readNanos;

        boolean isGood(Duration lifetime) {
            return !answer.isDone() || System.nanoTime() - readNanos < lifetime.toNanos();
        }
    }

    /**
     * Shares reads.
     *
     * @param executor makes them; it may refuse
     * @param maxKept largest number of answers to keep; those asked for long ago go first
     */
    SharedReads(Executor executor, int maxKept) {
        this.executor = executor;
        this.maxKept = maxKept;
    }

    /**
     * The answer, by a future of the caller's own.
     *
     * @throws RejectedExecutionException if the executor refuses
     */
    CompletableFuture<Object> get(K read) {
        Shared begun;
        lock.lock();
        try {
            Shared known = shared.get(read);
            if (known != null && known.isGood(read.lifetime())) {
                return known.answer.copy();
            }
            begun = new Shared();
            shared.put(read, begun);
            dropOldest();
        } finally {
            lock.unlock();
        }
        try {
            executor.execute(() -> complete(begun, read));
        } catch (RejectedExecutionException e) {
            forget(read, begun);
            // for those who found it meanwhile
            begun.answer.completeExceptionally(e);
            throw e;
        }
        return begun.answer.copy();
    }

    private static void complete(Shared begun, Read read) {
        Object answer;
        try {
            answer = read.read();
        } catch (Throwable e) {
            // an Error, too: it must not leave viewers waiting for ever
            begun.readNanos = System.nanoTime();
            begun.answer.completeExceptionally(e);
            return;
        }
        begun.readNanos = System.nanoTime();
        begun.answer.complete(answer);
    }

    /** The next to ask reads anew: something was changed. */
    void expireAll() {
        lock.lock();
        try {
            shared.clear();
        } finally {
            lock.unlock();
        }
    }

    private void forget(K read, Shared begun) {
        lock.lock();
        try {
            shared.remove(read, begun);
        } finally {
            lock.unlock();
        }
    }

    /** One under way goes, too: those who wait for it have its future. */
    private void dropOldest() {
        Iterator<K> oldest = shared.keySet().iterator();
        while (shared.size() > maxKept) {
            oldest.next();
            oldest.remove();
        }
    }
}
