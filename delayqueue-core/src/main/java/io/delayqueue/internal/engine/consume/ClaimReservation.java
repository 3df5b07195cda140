package io.delayqueue.internal.engine.consume;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The capacity that a partition's claim keeps until its answer is there. If the answer takes too long, the capacity goes back to the
 * subscription: a server that is silent must hold no slot that messages of other servers could use. One claim at a time. Thread-safe.
 */
final class ClaimReservation {

    /**
     * A claim keeps its capacity for this long: many healthy round trips. It has to be short, since the partitions of a silent server
     * may claim one after the other, and messages of other servers are late by the sum.
     */
    static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ClaimCapacity capacity;
    private final ScheduledExecutorService timer;
    private final Runnable overdue;
    private final ReentrantLock lock = new ReentrantLock();
    private ClaimLimits kept = ClaimLimits.NONE;
    private long sinceNanos;
    /** Whether {@link #check} is going to run. It is not cancelled with each answer: that would cost more than a look at nothing. */
    private boolean timed;

    /** @param overdue called when the capacity went back before the answer */
    ClaimReservation(ClaimCapacity capacity, ScheduledExecutorService timer, Runnable overdue) {
        this.capacity = capacity;
        this.timer = timer;
        this.overdue = overdue;
    }

    /** Reserves capacity for a claim of at most that many messages. */
    ClaimLimits begin(int max) {
        ClaimLimits limits = capacity.reserve(max);
        if (limits.slots() > 0) {
            lock.lock();
            try {
                kept = limits;
                sinceNanos = System.nanoTime();
                timed = timed || checkAfter(MAX_NANOS);
            } finally {
                lock.unlock();
            }
        }
        return limits;
    }

    /** Ends the reservation with the claim. Returns false if it was released before. */
    boolean end() {
        ClaimLimits left;
        lock.lock();
        try {
            left = kept;
            kept = ClaimLimits.NONE;
        } finally {
            lock.unlock();
        }
        capacity.release(left);
        return left.slots() > 0;
    }

    private void check() {
        ClaimLimits left;
        lock.lock();
        try {
            long wait = sinceNanos + MAX_NANOS - System.nanoTime();
            boolean keeps = kept.slots() > 0;
            timed = keeps && wait > 0 && checkAfter(wait);
            if (!keeps || wait > 0) {
                return;
            }
            left = kept;
            kept = ClaimLimits.NONE;
        } finally {
            lock.unlock();
        }
        overdue.run();
        capacity.release(left);
    }

    private boolean checkAfter(long nanos) {
        try {
            timer.schedule(this::check, nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException closed) {
            return false;
        }
    }
}
