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
    private int reserved;

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
            return Math.max(0, places - busy - reserved);
        } finally {
            lock.unlock();
        }
    }

    /** Keeps up to so many free places for who asks; how many. */
    int reserve(int most) {
        lock.lock();
        try {
            int count = Math.max(0, Math.min(most, places - busy - reserved));
            reserved += count;
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a reservation, after work was started in some of the places. */
    void unreserve(int count) {
        int free;
        lock.lock();
        try {
            reserved -= count;
            free = places - busy - reserved;
        } finally {
            lock.unlock();
        }
        if (free > 0) {
            placeFreed.accept(free);
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
                free = places - busy - reserved;
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
