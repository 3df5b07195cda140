package io.delayqueue.testsupport.proxy;

import java.time.Duration;
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
    private long untilCut = NO_CUT;

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

    void delay(Duration delay) {
        change(() -> delayNanos = delay.toNanos());
    }

    void cutAfter(long bytes) {
        change(() -> untilCut = bytes);
    }

    void clear() {
        change(() -> {
            blackhole = false;
            holding = false;
            delayNanos = 0;
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

    /** Waits until bytes that arrived at this time may pass. */
    void awaitPassage(long arrivalNanos) throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                long remaining = arrivalNanos + delayNanos - System.nanoTime();
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
            return allowed;
        } finally {
            lock.unlock();
        }
    }
}
