package io.delayqueue.internal.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bounds the messages that wait for Redis, in number and bytes. A call is not refused while no other one waits. Calls that wait for
 * capacity get it in turn: small ones must not pass a large one for ever. Thread-safe.
 */
final class WaitingLimit {

    private final long maxMessages;
    private final long maxBytes;
    private final ReentrantLock lock = new ReentrantLock();
    /** Calls that wait for capacity; only the first may take it, and is told when there is more. */
    private final Deque<Condition> waiting = new ArrayDeque<>();

    private long messages;
    private long bytes;

    WaitingLimit(long maxMessages, long maxBytes) {
        this.maxMessages = maxMessages;
        this.maxBytes = maxBytes;
    }

    /** Adds the messages of a call as soon as they fit and it is its turn. Returns false if that is not within the time. */
    boolean add(long count, long size, long waitNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (waiting.isEmpty() && take(count, size)) {
                return true;
            }
            return waitNanos > 0 && awaitTurn(count, size, waitNanos);
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitTurn(long count, long size, long waitNanos) throws InterruptedException {
        Condition turn = lock.newCondition();
        waiting.add(turn);
        try {
            long left = waitNanos;
            while (waiting.peek() != turn || !take(count, size)) {
                if (left <= 0) {
                    return false;
                }
                left = turn.awaitNanos(left);
            }
            return true;
        } finally {
            waiting.remove(turn);
            tellFirst();
        }
    }

    private boolean take(long count, long size) {
        if (messages > 0 && (messages + count > maxMessages || bytes + size > maxBytes)) {
            return false;
        }
        messages += count;
        bytes += size;
        return true;
    }

    private void tellFirst() {
        Condition first = waiting.peek();
        if (first != null) {
            first.signal();
        }
    }

    /** Removes messages that were answered. */
    void remove(long count, long size) {
        lock.lock();
        try {
            messages -= count;
            bytes -= size;
            tellFirst();
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
