package io.delayqueue.gateway.security;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** Limits the requests of each caller to a rate. A caller that was quiet may use up one second's requests at once. Thread-safe. */
public final class RequestRates {

    /** Callers that are remembered, since users of Spring Security can be many. The one that was quiet for longest is forgotten. */
    static final int MAX_CALLERS = 10_000;

    private static final double NANOS_PER_SECOND = 1e9;

    private final int perSecond;
    private final LongSupplier nanoClock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Bucket> byCaller = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Limits of a rate.
     *
     * @param perSecond requests of a caller; 0 for no limit
     */
    public RequestRates(int perSecond) {
        this(perSecond, System::nanoTime);
    }

    RequestRates(int perSecond, LongSupplier nanoClock) {
        if (perSecond < 0) {
            throw new IllegalArgumentException("requests per second must be 0 or more, not " + perSecond);
        }
        this.perSecond = perSecond;
        this.nanoClock = nanoClock;
    }

    /** Whether a caller may make a request now. */
    public boolean tryRequest(String caller) {
        if (perSecond == 0) {
            return true;
        }
        lock.lock();
        try {
            long now = nanoClock.getAsLong();
            Bucket bucket = byCaller.computeIfAbsent(caller, name -> new Bucket(perSecond, now));
            if (byCaller.size() > MAX_CALLERS) {
                byCaller.remove(byCaller.keySet().iterator().next());
            }
            return bucket.take(perSecond, now);
        } finally {
            lock.unlock();
        }
    }

    int callers() {
        lock.lock();
        try {
            return byCaller.size();
        } finally {
            lock.unlock();
        }
    }

    /** The requests that a caller has left. Guarded by the lock. */
    private static final class Bucket {

        private double left;
        private long filledAt;

        private Bucket(int perSecond, long now) {
            left = perSecond;
            filledAt = now;
        }

        private boolean take(int perSecond, long now) {
            left = Math.min(perSecond, left + perSecond * ((now - filledAt) / NANOS_PER_SECOND));
            filledAt = now;
            if (left < 1) {
                return false;
            }
            left--;
            return true;
        }
    }
}
