package io.delayqueue.internal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The places where handlers run, as many as the concurrency, and their threads; and where work waits until it is due
 * or there is a place for it.
 */
final class Handlers {

    /** How long work that is due may wait for a place before it is turned away. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** A thread that sleeps until a time is woken later by about as much, */
    private static final long OVERSLEPT_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /** and by one part in so many of how long it sleeps, as its core falls asleep more and more deeply, */
    private static final int OVERSLEPT_PART = 20;

    /** but by no more than this. */
    private static final long MOST_OVERSLEPT_NANOS = TimeUnit.MICROSECONDS.toNanos(150);

    /** How late what waits behind a handler that does not end at once, as most did, is at most. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Places places;
    private final int mostWaking;
    private final Consumer<Places.Vacancy> placeFreed;
    private final ThreadPoolExecutor threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private final PriorityQueue<Place> waiting = new PriorityQueue<>();
    /** Waits for the first to become due, or for its place, so that other threads need not. */
    private final Post watch = new Post();
    /** Looks after what waits if the watcher took a work and does not come back at once. */
    private final Post standby = new Post();

    private int waking;
    private long started;
    private boolean ended;

    /**
     * @param topic names the threads
     * @param places how many handlers at a time
     * @param threadFactory the user's, if any
     * @param placeFreed told what could come, whenever that is more
     */
    Handlers(String topic, int places, @Nullable ThreadFactory threadFactory, Consumer<Places.Vacancy> placeFreed) {
        this(topic, places, threadFactory, placeFreed, Runtime.getRuntime().availableProcessors());
    }

    /** @param mostWaking how many threads are on their way to work at a time: with work that ends at once, few do it all */
    Handlers(
            String topic,
            int places,
            @Nullable ThreadFactory threadFactory,
            Consumer<Places.Vacancy> placeFreed,
            int mostWaking) {
        this.places = new Places(places);
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

    /** What could come now. */
    Places.Vacancy vacancy() {
        lock.lock();
        try {
            return places.vacancy(waiting.size());
        } finally {
            lock.unlock();
        }
    }

    /** Keeps the room there is for who asks, for up to so many. */
    Places.Room reserve(int most) {
        lock.lock();
        try {
            return places.reserve(waiting.size(), most);
        } finally {
            lock.unlock();
        }
    }

    /** Ends a reservation, after work was started in some of the places. */
    void unreserve(Places.Room room) {
        Places.Vacancy vacancy;
        lock.lock();
        try {
            places.unreserve(room);
            vacancy = places.vacancy(waiting.size());
        } finally {
            lock.unlock();
        }
        if (vacancy.room() > 0) {
            placeFreed.accept(vacancy);
        }
    }

    /**
     * Runs the work in a place of its own when it is due, and leaves the place when it ends.
     *
     * @param dueNanos by {@link System#nanoTime()}
     * @throws RuntimeException or an {@link Error} if no thread can be had
     */
    void start(long dueNanos, Work work) {
        Place place;
        boolean wake;
        lock.lock();
        try {
            if (ended) {
                throw new RejectedExecutionException("the consumer has been stopped");
            }
            long now = System.nanoTime();
            // what is due at once keeps its order
            place = new Place(dueNanos - now > 0 ? dueNanos : now, started++, work);
            waiting.add(place);
            wake = seeToTheFirst();
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
            stranded.forEach(other -> other.work.refused(e));
            if (nobodyHasIt) {
                throw e;
            }
        }
    }

    /**
     * Sees to it that what waits is looked after: a thread watches it, is on its way, or will come soon. Whoever takes the first calls
     * this before running it.
     *
     * @return whether a thread has to be woken for it
     */
    private boolean seeToTheFirst() {
        Place first = waiting.peek();
        if (first == null) {
            return false;
        }
        boolean mayRun = places.anyIsLeft() && isDue(first);
        if (watch.isKept()) {
            if (mayRun || first.watchedUntil() - watch.endsNanos < 0) {
                watch.call();
            }
            return false;
        }
        if (standby.isKept()) {
            if (!places.areLeftAtOnce() || first.stoodByUntil() - standby.endsNanos < 0) {
                standby.call();
            }
            return false;
        }
        boolean wake = waking < (mayRun ? mostWaking : 1);
        waking += wake ? 1 : 0;
        return wake;
    }

    /** Runs what is due, one after the other, until nothing is. */
    private void serve() {
        boolean done = false;
        try {
            for (Place place = next(true); place != null; place = next(false)) {
                place.run();
            }
            done = true;
        } finally {
            if (!done) {
                leaveTheRestToAnother();
            }
        }
    }

    private void leaveTheRestToAnother() {
        boolean wake;
        lock.lock();
        try {
            wake = seeToTheFirst();
        } finally {
            lock.unlock();
        }
        if (wake) {
            wakeAnother();
        }
    }

    private @Nullable Place next(boolean woken) {
        Place next;
        boolean wake;
        lock.lock();
        try {
            waking -= woken ? 1 : 0;
            next = await();
            wake = next != null && seeToTheFirst();
        } finally {
            lock.unlock();
        }
        if (wake) {
            wakeAnother();
        }
        return next;
    }

    /** The first that waits, once it is due and there is a place for it; null if somebody else looks after it. */
    private @Nullable Place await() {
        for (Place first = waiting.peek(); first != null && !ended; first = waiting.peek()) {
            long wait = first.waitNanos();
            if (wait <= 0 && places.anyIsLeft()) {
                places.take();
                first.takenNanos = System.nanoTime();
                return waiting.remove();
            }
            if (watch.isKept()) {
                if (standby.isKept()) {
                    return null;
                }
                standby.keep(first.stoodByUntil(), false);
            } else if (wait <= -PATIENCE_NANOS) {
                turnAwayFirst();
            } else {
                watch.keep(first.watchedUntil(), true);
            }
        }
        return null;
    }

    /** What is due and finds no place goes back; others may have one. */
    private void turnAwayFirst() {
        places.areTooFew();
        Place first = waiting.remove();
        lock.unlock();
        try {
            first.work.turnedAway();
        } finally {
            lock.lock();
        }
    }

    private void wakeAnother() {
        try {
            threads.execute(this::serve);
        } catch (RuntimeException | Error e) {
            stranded().forEach(place -> place.work.refused(e));
            placeFreed.accept(vacancy());
        }
    }

    /** Takes what waits away: the thread that was to come for it could not be had. */
    private List<Place> stranded() {
        lock.lock();
        try {
            waking--;
            List<Place> all = new ArrayList<>(waiting);
            waiting.clear();
            idle.signalAll();
            return all;
        } finally {
            lock.unlock();
        }
    }

    private static boolean isDue(@Nullable Place first) {
        return first != null && first.waitNanos() <= 0;
    }

    /** Waits until no place is taken, and nothing waits for one that is due. Returns false if that took longer. */
    boolean awaitIdle(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (places.anyIsTaken() || isDue(waiting.peek())) {
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

    /** Takes no more work, and forgets what waits; threads end when their work does. */
    void shutdown() {
        lock.lock();
        try {
            ended = true;
            waiting.clear();
            watch.called.signalAll();
            standby.called.signalAll();
        } finally {
            lock.unlock();
        }
        threads.shutdown();
    }

    /** Kept by one thread at a time, asleep. Used under the lock. */
    private final class Post {

        private final Condition called = lock.newCondition();
        private @Nullable Thread keeper;
        private long endsNanos;

        private boolean isKept() {
            return keeper != null;
        }

        /** Sleeps until that time, or until it is called. To be punctual, it is awake for the last of it. */
        private void keep(long untilNanos, boolean punctual) {
            Thread me = Thread.currentThread();
            keeper = me;
            endsNanos = untilNanos;
            try {
                long nanos = untilNanos - System.nanoTime();
                long awakeNanos = punctual ? oversleptNanos(nanos) : 0;
                if (nanos > awakeNanos) {
                    called.awaitNanos(nanos - awakeNanos);
                } else {
                    spin(untilNanos);
                }
            } catch (InterruptedException e) {
                // meant for a handler, and none is running here: it waits again
            }
            if (keeper == me) {
                keeper = null;
            } else {
                waking--;
            }
        }

        private static long oversleptNanos(long nanos) {
            return Math.min(MOST_OVERSLEPT_NANOS, OVERSLEPT_NANOS + nanos / OVERSLEPT_PART);
        }

        private void spin(long untilNanos) {
            lock.unlock();
            try {
                while (untilNanos - System.nanoTime() > 0) {
                    Thread.onSpinWait();
                }
            } finally {
                lock.lock();
            }
        }

        private void call() {
            keeper = null;
            waking++;
            called.signal();
        }
    }

    /** What runs in a place. */
    interface Work {

        /** Runs; may leave the place to others before it ends. */
        void run(Place place);

        /** Does not run after all: no place was left when it was due. */
        default void turnedAway() {}

        /** Does not run after all: no thread could be had. */
        default void refused(Throwable reason) {}
    }

    /** A place for a work: waited for, taken, and left. */
    final class Place implements Comparable<Place> {

        private final long dueNanos;
        private final long number;
        private final Work work;
        private final AtomicBoolean left = new AtomicBoolean();
        private long takenNanos;

        private Place(long dueNanos, long number, Work work) {
            this.dueNanos = dueNanos;
            this.number = number;
            this.work = work;
        }

        private long waitNanos() {
            return dueNanos - System.nanoTime();
        }

        private long watchedUntil() {
            return waitNanos() > 0 ? dueNanos : dueNanos + PATIENCE_NANOS;
        }

        private long stoodByUntil() {
            return (waitNanos() > 0 ? dueNanos : System.nanoTime()) + GRACE_NANOS;
        }

        @Override
        public int compareTo(Place other) {
            long later = dueNanos - other.dueNanos;
            return later != 0 ? Long.signum(later) : Long.compare(number, other.number);
        }

        private void run() {
            try {
                work.run(this);
            } finally {
                leave(false);
            }
        }

        /** Idempotent. */
        void leave() {
            leave(true);
        }

        private void leave(boolean early) {
            if (!left.compareAndSet(false, true)) {
                return;
            }
            Places.Vacancy vacancy;
            lock.lock();
            try {
                places.leave(System.nanoTime() - takenNanos);
                vacancy = places.vacancy(waiting.size());
                if (!places.anyIsTaken()) {
                    idle.signalAll();
                }
            } finally {
                lock.unlock();
            }
            // a thread that is done comes for the next itself
            if (early) {
                leaveTheRestToAnother();
            }
            placeFreed.accept(vacancy);
        }
    }
}
