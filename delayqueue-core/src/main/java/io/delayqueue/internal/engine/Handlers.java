package io.delayqueue.internal.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
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
    private final int mostWaking;
    private final IntConsumer placeFreed;
    private final ThreadPoolExecutor threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private final Deque<Place> ready = new ArrayDeque<>();
    private int waking;
    private int busy;
    private int reserved;

    /**
     * @param topic names the threads
     * @param places how many handlers at a time
     * @param threadFactory the user's, if any
     * @param placeFreed told how many places are free whenever one becomes so
     */
    Handlers(String topic, int places, @Nullable ThreadFactory threadFactory, IntConsumer placeFreed) {
        this(topic, places, threadFactory, placeFreed, Runtime.getRuntime().availableProcessors());
    }

    /** @param mostWaking how many threads are on their way to work at a time: with work that ends at once, few do it all */
    Handlers(String topic, int places, @Nullable ThreadFactory threadFactory, IntConsumer placeFreed, int mostWaking) {
        this.places = places;
        this.mostWaking = mostWaking;
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
        Place place = new Place(work);
        boolean wake;
        lock.lock();
        try {
            busy++;
            ready.add(place);
            wake = mayWake();
        } finally {
            lock.unlock();
        }
        if (wake) {
            wake(place);
        }
    }

    private void wake(Place place) {
        try {
            threads.execute(this::serve);
        } catch (RuntimeException | Error e) {
            List<Place> stranded = stranded();
            boolean nobodyHasIt = stranded.remove(place);
            stranded.forEach(other -> other.refuse(e));
            if (nobodyHasIt) {
                place.leave();
                throw e;
            }
        }
    }

    /** Whether to wake a thread. While anything is ready one is on its way, and wakes the next when it is here. */
    private boolean mayWake() {
        boolean may = !ready.isEmpty() && waking < mostWaking;
        waking += may ? 1 : 0;
        return may;
    }

    /** Runs what is ready, one after the other, until nothing is. */
    private void serve() {
        for (Place place = next(true); place != null; place = next(false)) {
            place.run();
        }
    }

    private @Nullable Place next(boolean woken) {
        Place next;
        boolean wake;
        lock.lock();
        try {
            waking -= woken ? 1 : 0;
            next = ready.poll();
            wake = mayWake();
        } finally {
            lock.unlock();
        }
        if (wake) {
            wakeAnother();
        }
        return next;
    }

    private void wakeAnother() {
        try {
            threads.execute(this::serve);
        } catch (RuntimeException | Error e) {
            stranded().forEach(place -> place.refuse(e));
        }
    }

    /** Takes what is ready away: the thread that was to come for it could not be had. */
    private List<Place> stranded() {
        lock.lock();
        try {
            waking--;
            List<Place> all = new ArrayList<>(ready);
            ready.clear();
            return all;
        } finally {
            lock.unlock();
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

        /** Does not run after all: no thread could be had. */
        default void refused(Throwable reason) {}
    }

    /** A place that is taken until it is left. */
    final class Place {

        private final Work work;
        private final AtomicBoolean left = new AtomicBoolean();

        private Place(Work work) {
            this.work = work;
        }

        private void run() {
            try {
                work.run(this);
            } finally {
                leave();
            }
        }

        private void refuse(Throwable reason) {
            try {
                work.refused(reason);
            } finally {
                leave();
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
