package io.delayqueue.internal.engine;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Bounds the messages that wait for Redis, in number and bytes. A call is not refused while no other one waits. Thread-safe. */
final class WaitingLimit {

    private final long maxMessages;
    private final long maxBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition removed = lock.newCondition();
    private long messages;
    private long bytes;

    WaitingLimit(long maxMessages, long maxBytes) {
        this.maxMessages = maxMessages;
        this.maxBytes = maxBytes;
    }

    /** Adds the messages of a call if they fit. */
    boolean tryAdd(long count, long size) {
        lock.lock();
        try {
            if (messages > 0 && (messages + count > maxMessages || bytes + size > maxBytes)) {
                return false;
            }
            messages += count;
            bytes += size;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Adds the messages of a call as soon as they fit. Returns false if they don't within that time. */
    boolean add(long count, long size, long waitNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = waitNanos;
            while (!tryAdd(count, size)) {
                if (left <= 0) {
                    return false;
                }
                left = removed.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Removes messages that were answered. */
    void remove(long count, long size) {
        lock.lock();
        try {
            messages -= count;
            bytes -= size;
            removed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Number of the messages that wait. */
    long messages() {
        lock.lock();
        try {
            return messages;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        lock.lock();
        try {
            return messages + " of maxWaitingMessages (" + maxMessages + "), " + bytes + " of maxWaitingBytes ("
                    + maxBytes + ")";
        } finally {
            lock.unlock();
        }
    }
}
