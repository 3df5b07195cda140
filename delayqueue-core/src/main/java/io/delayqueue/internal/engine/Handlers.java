package io.delayqueue.internal.engine;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The places where handlers run, as many as the concurrency, and their threads. */
final class Handlers {

    private final int places;
    private final IntConsumer placeFreed;
    private final ThreadPoolExecutor threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private int busy;

    /**
     * @param topic names the threads
     * @param places how many handlers at a time
     * @param threadFactory the user's, if any
     * @param placeFreed told how many places are free whenever one becomes so
     */
    Handlers(String topic, int places, @Nullable ThreadFactory threadFactory, IntConsumer placeFreed) {
        this.places = places;
        this.placeFreed = placeFreed;
        this.threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                10,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                threadFactory != null ? threadFactory : daemons(topic));
    }

    private static ThreadFactory daemons(String topic) {
        AtomicLong number = new AtomicLong();
        return work -> {
            Thread thread = new Thread(work, "delayqueue-" + topic + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    int places() {
        return places;
    }

    int free() {
        lock.lock();
        try {
            return places - busy;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs the work in a place of its own, which it leaves when it ends.
     *
     * @throws RuntimeException or an {@link Error} if no thread can be had; the place is free again
     */
    void start(Work work) {
        Place place = new Place();
        try {
            threads.execute(() -> {
                try {
                    work.run(place);
                } finally {
                    place.leave();
                }
            });
        } catch (RuntimeException | Error e) {
            place.leave();
            throw e;
        }
    }

    /** Waits until no place is taken. Returns false if that took longer. */
    boolean awaitIdle(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (busy > 0) {
                if (left <= 0) {
                    return false;
                }
                left = idle.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more work; threads end when theirs does. */
    void shutdown() {
        threads.shutdown();
    }

    /** What runs in a place. */
    interface Work {

        /** Runs; may leave the place to others before it ends. */
        void run(Place place);
    }

    /** A place that is taken until it is left. */
    final class Place {

        private final AtomicBoolean left = new AtomicBoolean();

        private Place() {
            lock.lock();
            try {
                busy++;
            } finally {
                lock.unlock();
            }
        }

        /** Idempotent. */
        void leave() {
            if (!left.compareAndSet(false, true)) {
                return;
            }
            int free;
            lock.lock();
            try {
                busy--;
                free = places - busy;
                if (busy == 0) {
                    idle.signalAll();
                }
            } finally {
                lock.unlock();
            }
            placeFreed.accept(free);
        }
    }
}
