package io.delayqueue.testsupport.proxy;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The faults of one direction, on all connections. */
final class DirectionFaults {

    private static final long NO_CUT = -1;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean blackhole;
    private boolean holding;
    private long delayNanos;
    private long jitterNanos;
    private long untilCut = NO_CUT;
    private long hits;

    void blackhole() {
        change(() -> blackhole = true);
    }

    boolean isBlackhole() {
        lock.lock();
        try {
            return blackhole;
        } finally {
            lock.unlock();
        }
    }

    void hold() {
        change(() -> holding = true);
    }

    /** @param jitter each piece of traffic is delayed by up to this much more, and none overtakes another */
    void delay(Duration delay, Duration jitter) {
        change(() -> {
            delayNanos = delay.toNanos();
            jitterNanos = jitter.toNanos();
        });
    }

    void cutAfter(long bytes) {
        change(() -> untilCut = bytes);
    }

    void clear() {
        change(() -> {
            blackhole = false;
            holding = false;
            delayNanos = 0;
            jitterNanos = 0;
            untilCut = NO_CUT;
        });
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Number of times that bytes were dropped, held, delayed or cut off. */
    long hits() {
        lock.lock();
        try {
            return hits;
        } finally {
            lock.unlock();
        }
    }

    void hit() {
        change(() -> hits++);
    }

    /** Waits until bytes that arrived at this time may pass. */
    void awaitPassage(long arrivalNanos) throws InterruptedException {
        lock.lock();
        try {
            if (holding || delayNanos > 0) {
                hits++;
            }
            long more = jitterNanos == 0 ? 0 : ThreadLocalRandom.current().nextLong(jitterNanos);
            while (true) {
                long remaining = arrivalNanos + delayNanos + more - System.nanoTime();
                if (holding) {
                    changed.await();
                } else if (delayNanos > 0 && remaining > 0) {
                    changed.await(remaining, TimeUnit.NANOSECONDS);
                } else {
                    return;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Number of these bytes that may pass before the connection is cut; all if it is not. */
    int passing(int length) {
        lock.lock();
        try {
            if (untilCut == NO_CUT || length < untilCut) {
                untilCut -= untilCut == NO_CUT ? 0 : length;
                return length;
            }
            int allowed = (int) untilCut;
            untilCut = NO_CUT;
            hits++;
            return allowed;
        } finally {
            lock.unlock();
        }
    }
}
