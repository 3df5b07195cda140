package io.delayqueue.gateway.callback;

import io.delayqueue.gateway.callback.CallbackOutcome.TargetOutcome;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The calls of one target from this process: how many at once, how many a second, and whether any at all. A message whose target may not be
 * called waits in Redis, so it holds no handler slot. Thread-safe.
 */
final class Flow {

    /** Shortest time over which messages are spread that wait for an unavailable target. */
    private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

    /** Longest wait for the end of other calls: how long they take is an estimate, which may be wrong by then. */
    private static final long LONGEST_BUSY_NANOS = Duration.ofMinutes(1).toNanos();

    /** Shortest wait for the end of other calls. */
    private static final long SOON_NANOS = Duration.ofMillis(10).toNanos();

    /** Longest wait for a rate, which is known. */
    private static final long LONGEST_RATE_NANOS = Duration.ofMinutes(10).toNanos();

    /** Messages of a paused target or URL are delivered again that late, at the earliest. */
    private static final long PAUSED_NANOS = Duration.ofMinutes(1).toNanos();

    private static final double SPREAD = 0.5;

    /** A target that nobody calls for as long is forgotten, with its failures: messages may name any number of hosts that are down. */
    private static final long FORGOTTEN_NANOS = Duration.ofMinutes(10).toNanos();

    private final FlowLimits limits;
    private final LongSupplier nanoTime;
    private final DoubleSupplier random;
    private final Breaker breaker;
    private final CallPace pace;
    private final ReturnTimes returns;
    private final FailingUrls failingUrls = new FailingUrls();
    private final ReentrantLock lock = new ReentrantLock();

    private long throttledUntil;
    private boolean paused;

    /** Whether the target answered the call that ended last. */
    private boolean answers;

    private long lastUsed;

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
        this.breaker = new Breaker(limits.failures(), limits.initialBreak(), limits.maxBreak());
        this.throttledUntil = nanoTime.getAsLong();
        this.lastUsed = throttledUntil;
        this.pace = new CallPace(limits.parallelism(), limits.perSecond(), throttledUntil);
        this.returns = new ReturnTimes(random, throttledUntil);
    }

    /**
     * Asks for a call.
     *
     * @param message text that tells the message from others: one that was refused keeps its turn
     */
    Admission admit(String message) {
        lock.lock();
        try {
            return admit(message, nanoTime.getAsLong());
        } finally {
            lock.unlock();
        }
    }

    private Admission admit(String message, long now) {
        lastUsed = now;
        boolean isTurn = returns.comes(message, now);
        if (paused) {
            return refusedByPause();
        }
        if (throttledUntil - now > 0) {
            return refused(throttledUntil - now, "the target asked for fewer calls");
        }
        long broken = breaker.waitNanos(now);
        if (broken > 0) {
            return refused(broken, "the target failed several times in succession");
        }
        // a new message takes no call from one whose turn it is
        int others = isTurn ? 0 : returns.expected(now);
        if (pace.underWay() + others >= limits.parallelism()) {
            return queued(
                    message,
                    now,
                    now + Math.max(SOON_NANOS, pace.betweenEnds(now)),
                    "the target's parallelism is reached");
        }
        long next = pace.nextByRate(now);
        if (next + others * pace.nanosBetween() - now > 0) {
            return queued(message, now, next, "the target's rate is reached");
        }
        returns.remove(message);
        pace.begin(now);
        boolean tried = breaker.isOpen();
        if (tried) {
            breaker.tryNow();
        }
        return new Admission.Granted(tried, now);
    }

    /** The answer for a message whose URL is paused, while the target's others are called. */
    Admission refusedByPause() {
        return refused(PAUSED_NANOS, "the target is paused");
    }

    /** Each message at a time of its own, as it can't be told when the target may be called. */
    private Admission refused(long nanos, String reason) {
        long spread = (long) (SPREAD * random.getAsDouble() * Math.max(nanos, SECOND_NANOS));
        return new Admission.Refused(Duration.ofNanos(nanos + spread), reason);
    }

    /** Each message when it is its turn. */
    private Admission queued(String message, long now, long earliest, String reason) {
        long betweenEnds = pace.betweenEnds(now);
        long nanosBetween = pace.nanosBetween();
        boolean isRate = nanosBetween >= betweenEnds;
        long wait = returns.add(
                message,
                now,
                earliest,
                Math.max(nanosBetween, betweenEnds),
                isRate ? Math.max(LONGEST_RATE_NANOS, nanosBetween) : LONGEST_BUSY_NANOS);
        return new Admission.Refused(Duration.ofNanos(wait), reason);
    }

    /** A granted call has ended. */
    void ended(Admission.Granted granted, CallbackOutcome outcome) {
        lock.lock();
        try {
            long now = callEnded(granted, outcome);
            switch (outcome.target()) {
                case ANSWERS, GONE -> breaker.succeeded(granted.tried());
                case FAILS -> breaker.failed(granted.tried(), now);
                case THROTTLED -> {
                    breaker.succeeded(granted.tried());
                    throttle(now, outcome);
                }
                case UNAVAILABLE -> {
                    breaker.failed(granted.tried(), now);
                    throttle(now, outcome);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * A granted call to one of the target's URLs has ended. One unavailable URL does not make the target unavailable. Several that
     * ask for fewer calls get none for the longest break at most: the others of the target did not ask.
     */
    void ended(Admission.Granted granted, CallbackOutcome outcome, String url) {
        lock.lock();
        try {
            boolean unavailable = outcome.target().isUnavailable();
            if (!unavailable) {
                failingUrls.clear();
            }
            if (!unavailable || failingUrls.add(url) || granted.tried()) {
                ended(granted, outcome.askingForAtMost(limits.maxBreak()));
            } else {
                callEnded(granted, outcome);
            }
        } finally {
            lock.unlock();
        }
    }

    private long callEnded(Admission.Granted granted, CallbackOutcome outcome) {
        long now = nanoTime.getAsLong();
        pace.end(granted.begunAt(), now);
        answers = outcome.target() != TargetOutcome.FAILS;
        return now;
    }

    /** A granted call was not made, or its end says nothing about the target. */
    void withdrawn(Admission.Granted granted) {
        lock.lock();
        try {
            pace.leave(granted.begunAt());
            if (granted.tried()) {
                breaker.withdrawn();
            }
        } finally {
            lock.unlock();
        }
    }

    private void throttle(long now, CallbackOutcome outcome) {
        Duration asked = outcome.retryAfter();
        long until = now + (asked == null ? limits.initialBreak() : asked).toNanos();
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

    /** The state of the target: whether its messages are sent, wait or are refused now. */
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

    /** Whether the call that ended last was answered: not that of a new target. */
    boolean answers() {
        lock.lock();
        try {
            return answers;
        } finally {
            lock.unlock();
        }
    }

    /** Whether nothing is under way, and nothing but its rate is to be remembered. */
    boolean isQuiet() {
        lock.lock();
        try {
            return pace.underWay() == 0 && breaker.isQuiet() && throttledUntil - nanoTime.getAsLong() <= 0;
        } finally {
            lock.unlock();
        }
    }

    /** Whether it may be forgotten: nothing is under way, and its rate and its breaker begin anew anyway. */
    boolean isIdle() {
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            return pace.underWay() == 0 && state() == TargetState.CALLED && pace.isRested(now) && returns.isEmpty(now);
        } finally {
            lock.unlock();
        }
    }

    /** Whether its target was not called for long, so that what it was then says nothing about now. */
    boolean isForgotten() {
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            long unused = Math.max(FORGOTTEN_NANOS, 2 * limits.maxBreak().toNanos());
            return pace.underWay() == 0 && now - lastUsed > unused && throttledUntil - now <= 0 && returns.isEmpty(now);
        } finally {
            lock.unlock();
        }
    }
}
