package io.delayqueue.gateway.security;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits each caller to half of a number of request slots, so that it leaves slots to the others. Callers of an open gateway, which are not
 * told apart, may have all. Thread-safe.
 */
public final class CallerShares {

    private final int most;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final Map<String, Integer> underWay = new HashMap<>();

    /** Shares of this number of slots. */
    public CallerShares(int slots) {
        most = (slots + 1) / 2;
    }

    /** The largest number of slots of a caller. */
    public int most() {
        return most;
    }

    /** Takes a slot for a caller, until {@link #end}. False if it has as many as it may have. */
    public boolean tryBegin(Caller caller) {
        if (caller.equals(Caller.EVERYONE)) {
            return true;
        }
        lock.lock();
        try {
            int present = underWay.getOrDefault(caller.name(), 0);
            if (present >= most) {
                return false;
            }
            underWay.put(caller.name(), present + 1);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Gives a slot back. */
    public void end(Caller caller) {
        if (caller.equals(Caller.EVERYONE)) {
            return;
        }
        lock.lock();
        try {
            underWay.computeIfPresent(caller.name(), (name, count) -> count == 1 ? null : count - 1);
        } finally {
            lock.unlock();
        }
    }
}
