package io.delayqueue.jdbc.audit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Events that wait to be written, bounded in number and bytes. When no more fit, the oldest are dropped and counted: adding never blocks
 * and never fails. Thread-safe.
 */
public final class AuditBuffer {

    private final int capacity;
    private final long capacityBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition batch = lock.newCondition();
    private final ArrayDeque<AuditEvent> events = new ArrayDeque<>();
    private int awaited = Integer.MAX_VALUE;
    private long bytes;
    private long dropped;
    private long added;
    private long gone;

    /** An empty buffer. */
    public AuditBuffer(int capacity, long capacityBytes) {
        this.capacity = capacity;
        this.capacityBytes = capacityBytes;
    }

    /** Adds an event; drops the oldest ones if it does not fit. */
    public void add(AuditEvent event) {
        lock.lock();
        try {
            events.add(event);
            added++;
            bytes += event.bytes();
            // a single event larger than all the memory is kept
            while (events.size() > capacity || (bytes > capacityBytes && events.size() > 1)) {
                bytes -= events.remove().bytes();
                dropped++;
                gone++;
            }
            if (events.size() >= awaited) {
                awaited = Integer.MAX_VALUE;
                batch.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the oldest events.
     *
     * @param most events at most
     * @param wait how long to wait until there are so many
     */
    List<AuditEvent> take(int most, long wait, TimeUnit unit) throws InterruptedException {
        lock.lock();
        try {
            long left = unit.toNanos(wait);
            while (events.size() < most && left > 0) {
                awaited = most;
                left = batch.awaitNanos(left);
            }
            awaited = Integer.MAX_VALUE;
            List<AuditEvent> taken = new ArrayList<>(Math.min(most, events.size()));
            while (taken.size() < most && !events.isEmpty()) {
                AuditEvent event = events.remove();
                bytes -= event.bytes();
                taken.add(event);
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Counts events that are dropped elsewhere. */
    void droppedElsewhere(int count) {
        lock.lock();
        try {
            dropped += count;
        } finally {
            lock.unlock();
        }
    }

    /** Events that were taken are in the journal, or can't be. */
    void written(int count) {
        lock.lock();
        try {
            gone += count;
        } finally {
            lock.unlock();
        }
    }

    /** Tells later whether all events that were added before this call are in the journal, or were dropped. */
    public BooleanSupplier whenWritten() {
        long addedBefore = added();
        return () -> gone() >= addedBefore;
    }

    private long added() {
        lock.lock();
        try {
            return added;
        } finally {
            lock.unlock();
        }
    }

    private long gone() {
        lock.lock();
        try {
            return gone;
        } finally {
            lock.unlock();
        }
    }

    /** Number of events that wait. */
    public int size() {
        lock.lock();
        try {
            return events.size();
        } finally {
            lock.unlock();
        }
    }

    /** Number of events dropped so far. */
    public long dropped() {
        lock.lock();
        try {
            return dropped;
        } finally {
            lock.unlock();
        }
    }

    /** How full it is, by number or bytes, whichever is more: 0 to 1. */
    public double fill() {
        lock.lock();
        try {
            return Math.max((double) events.size() / capacity, (double) bytes / capacityBytes);
        } finally {
            lock.unlock();
        }
    }
}
