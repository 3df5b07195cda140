package io.delayqueue.jdbc.support;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** Lets one call pass in an interval, and counts the others, for logs that must not be flooded. */
public final class Throttle {

    private final long intervalNanos;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    private long lastNanos;
    private long held;

    /** A throttle that lets the first call pass. */
    public Throttle(Duration interval, LongSupplier nanoTime) {
        this.intervalNanos = interval.toNanos();
        this.nanoTime = nanoTime;
        this.lastNanos = nanoTime.getAsLong() - intervalNanos;
    }

    /** The number of calls that were held back before this one; negative if this one is held back too. */
    public long pass() {
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            if (now - lastNanos < intervalNanos) {
                held++;
                return -1;
            }
            long before = held;
            held = 0;
            lastNanos = now;
            return before;
        } finally {
            lock.unlock();
        }
    }
}
