package io.delayqueue.gateway.security;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bytes that may be held in memory at once. Each caller may have half of them, or those of one largest message if that is more. Callers of
 * an open gateway, which are not told apart, may have all. Safe for use by several threads.
 */
public final class ByteBudget {

    /** A message of 1 MiB as text, its payload, and its answer. */
    private static final long OF_A_LARGEST_MESSAGE = 4L * 1024 * 1024;

    private final long max;
    private final long most;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final Map<String, Long> ofCallers = new HashMap<>();

    /** Guarded by the lock. */
    private long used;

    /** A budget of this many bytes. */
    public ByteBudget(long max) {
        this.max = max;
        this.most = Math.max(max / 2, OF_A_LARGEST_MESSAGE);
    }

    /** Takes bytes, if there are as many left, and the caller may have as many. */
    public boolean tryTake(Caller caller, long bytes) {
        return tryTake(caller, bytes, max);
    }

    /** Takes bytes, if there are as many left and more than a quarter is left then: the small ones go on beside many large ones. */
    public boolean tryTakeOfLarge(Caller caller, long bytes) {
        return tryTake(caller, bytes, max / 4 * 3);
    }

    private boolean tryTake(Caller caller, long bytes, long limit) {
        lock.lock();
        try {
            long ofCaller = ofCallers.getOrDefault(caller.name(), 0L) + bytes;
            if (used + bytes > limit || ofCaller > most && !caller.equals(Caller.EVERYONE)) {
                return false;
            }
            ofCallers.put(caller.name(), ofCaller);
            used += bytes;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Gives back bytes that were taken. */
    public void giveBack(Caller caller, long bytes) {
        lock.lock();
        try {
            ofCallers.computeIfPresent(caller.name(), (name, taken) -> taken <= bytes ? null : taken - bytes);
            used -= bytes;
        } finally {
            lock.unlock();
        }
    }

    /** Whether nothing is left for a caller. */
    public boolean isUsedUp(Caller caller) {
        lock.lock();
        try {
            return used >= max || !caller.equals(Caller.EVERYONE) && ofCallers.getOrDefault(caller.name(), 0L) >= most;
        } finally {
            lock.unlock();
        }
    }

    /** Bytes taken. */
    public long used() {
        lock.lock();
        try {
            return used;
        } finally {
            lock.unlock();
        }
    }
}
