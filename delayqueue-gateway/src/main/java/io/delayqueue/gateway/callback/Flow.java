package io.delayqueue.gateway.callback;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The calls of one target from this process: how many at once, how many a second, and whether any at all. A message whose target may not be
 * called waits in Redis, so it holds no handler slot. Thread-safe.
 */
final class Flow {

    private static final double NANOS_A_SECOND = 1e9;

    /** Messages of a target that is busy come again about then. */
    private static final long BUSY_NANOS = Duration.ofSeconds(1).toNanos();

    /** A target that was paused is asked about that often, for each message. */
    private static final long PAUSED_NANOS = Duration.ofMinutes(1).toNanos();

    private static final double SPREAD = 0.5;

    private final FlowLimits limits;
    private final LongSupplier nanoTime;
    private final DoubleSupplier random;
    private final Breaker breaker;
    private final long nanosBetween;
    private final ReentrantLock lock = new ReentrantLock();

    private long tokensUntil;
    private long throttledUntil;
    private int underWay;
    private boolean paused;

    /**
     * A flow that lets calls through.
     *
     * @param nanoTime {@link System#nanoTime()}
     * @param random numbers from 0 to 1
     */
    Flow(FlowLimits limits, LongSupplier nanoTime, DoubleSupplier random) {
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.random = random;
        this.breaker = new Breaker(limits.failures(), limits.firstBreak(), limits.longestBreak());
        this.nanosBetween = (long) (NANOS_A_SECOND / limits.perSecond());
        this.throttledUntil = nanoTime.getAsLong();
        this.tokensUntil = throttledUntil - burstNanos();
    }

    private long burstNanos() {
        return Math.max(nanosBetween, (long) NANOS_A_SECOND);
    }

    /** Asks for a call. */
    Admission admit() {
        lock.lock();
        try {
            return admit(nanoTime.getAsLong());
        } finally {
            lock.unlock();
        }
    }

    private Admission admit(long now) {
        if (paused) {
            return refused(PAUSED_NANOS, "the target is paused");
        }
        if (throttledUntil - now > 0) {
            return refused(throttledUntil - now, "the target asked for fewer calls");
        }
        long broken = breaker.waitNanos(now);
        if (broken > 0) {
            return refused(broken, "the target failed several times in succession");
        }
        if (underWay >= limits.parallelism()) {
            return refused(BUSY_NANOS, "the target has as many calls under way as it may have");
        }
        // tokens that gathered for longer than a second are forgotten
        long oldest = now - burstNanos();
        long tokens = tokensUntil - oldest > 0 ? tokensUntil : oldest;
        if (tokens + nanosBetween - now > 0) {
            return refused(tokens + nanosBetween - now, "the target has as many calls a second as it may have");
        }
        tokensUntil = tokens + nanosBetween;
        underWay++;
        boolean tried = breaker.isOpen();
        if (tried) {
            breaker.tryNow();
        }
        return new Admission.Granted(tried);
    }

    private Admission refused(long nanos, String reason) {
        long spread = (long) (SPREAD * random.getAsDouble() * Math.max(nanos, BUSY_NANOS));
        return new Admission.Refused(Duration.ofNanos(nanos + spread), reason);
    }

    /** A granted call has ended. */
    void ended(Admission.Granted granted, CallbackOutcome outcome) {
        lock.lock();
        try {
            underWay = Math.max(0, underWay - 1);
            long now = nanoTime.getAsLong();
            switch (outcome.target()) {
                case ANSWERS -> breaker.succeeded(granted.tried());
                case FAILS -> breaker.failed(granted.tried(), now);
                case THROTTLED -> {
                    breaker.succeeded(granted.tried());
                    Duration asked = outcome.retryAfter();
                    throttle(now + (asked == null ? limits.firstBreak() : asked).toNanos());
                }
                case GONE -> {
                    breaker.succeeded(granted.tried());
                    paused = true;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** A granted call was not made, or its end says nothing about the target. */
    void withdrawn(Admission.Granted granted) {
        lock.lock();
        try {
            underWay = Math.max(0, underWay - 1);
            if (granted.tried()) {
                breaker.withdrawn();
            }
        } finally {
            lock.unlock();
        }
    }

    private void throttle(long until) {
        if (until - throttledUntil > 0) {
            throttledUntil = until;
        }
    }

    /** Stops all calls, or allows them again; those under way go on. */
    void pause(boolean pause) {
        lock.lock();
        try {
            paused = pause;
        } finally {
            lock.unlock();
        }
    }

    /** Whether calls are stopped until an operator allows them. */
    boolean isPaused() {
        lock.lock();
        try {
            return paused;
        } finally {
            lock.unlock();
        }
    }

    /** What is done with messages of the target now. */
    TargetState state() {
        lock.lock();
        try {
            if (paused) {
                return TargetState.PAUSED;
            }
            if (breaker.isOpen()) {
                return TargetState.STOPPED;
            }
            return throttledUntil - nanoTime.getAsLong() > 0 ? TargetState.THROTTLED : TargetState.CALLED;
        } finally {
            lock.unlock();
        }
    }

    /** Whether it may be forgotten: nothing is under way, and its rate and its breaker begin anew anyway. */
    boolean isIdle() {
        lock.lock();
        try {
            long oldest = nanoTime.getAsLong() - burstNanos();
            return underWay == 0 && state() == TargetState.CALLED && tokensUntil - oldest <= 0;
        } finally {
            lock.unlock();
        }
    }
}
