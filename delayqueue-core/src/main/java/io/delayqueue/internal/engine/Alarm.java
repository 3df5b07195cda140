package io.delayqueue.internal.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Wakes one sleeper at the earliest of the times it was set to. A ring that comes while nobody sleeps is kept, so none can
 * be missed between looking and sleeping.
 */
final class Alarm {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean set;
    private long at;

    /** Wakes the sleeper that soon, unless it is woken earlier. */
    void ringIn(long nanos) {
        long time = System.nanoTime() + nanos;
        lock.lock();
        try {
            if (!set || time - at < 0) {
                set = true;
                at = time;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Forgets the times set so far. */
    void clear() {
        lock.lock();
        try {
            set = false;
        } finally {
            lock.unlock();
        }
    }

    /** Sleeps until it rings, or for that long. Returns whether it rang. */
    boolean await(long mostNanos) throws InterruptedException {
        long end = System.nanoTime() + mostNanos;
        lock.lock();
        try {
            while (true) {
                long now = System.nanoTime();
                if (set && at - now <= 0) {
                    return true;
                }
                if (end - now <= 0) {
                    return false;
                }
                changed.awaitNanos(set ? Math.min(at - now, end - now) : end - now);
            }
        } finally {
            lock.unlock();
        }
    }

    /** A relative time of the store's, in nanoseconds that don't overflow. */
    static long nanos(long micros) {
        return TimeUnit.MICROSECONDS.toNanos(Math.min(micros, TimeUnit.DAYS.toMicros(365)));
    }
}
