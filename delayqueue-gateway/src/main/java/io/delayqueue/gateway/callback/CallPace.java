package io.delayqueue.gateway.callback;

import java.time.Duration;

/**
 * The calls of a target under way, how long they take, and when its rate allows the next one. Not thread-safe. Times are those of
 * {@link System#nanoTime()}.
 */
final class CallPace {

    private static final double NANOS_A_SECOND = 1e9;

    /** Duration of a target's calls before the first one has ended. */
    private static final long FIRST_MEAN_NANOS = Duration.ofMillis(50).toNanos();

    /** Weight of the latest call in the mean duration of calls. */
    private static final double WEIGHT_OF_LATEST = 0.2;

    private final int parallelism;
    private final long nanosBetween;

    private double meanNanos = FIRST_MEAN_NANOS;

    /** The rate allows the next call a {@link #nanosBetween} after this. */
    private long tokensUntil;

    private int underWay;

    /** Sum of the begins of calls under way. It may overflow: only differences count. */
    private long begins;

    /** No call is under way. */
    CallPace(int parallelism, double perSecond, long now) {
        this.parallelism = parallelism;
        this.nanosBetween = (long) (NANOS_A_SECOND / perSecond);
        this.tokensUntil = now - burstNanos();
    }

    private long burstNanos() {
        return Math.max(nanosBetween, (long) NANOS_A_SECOND);
    }

    /** Time from one call to the next at the target's rate. */
    long nanosBetween() {
        return nanosBetween;
    }

    /** Number of calls under way. */
    int underWay() {
        return underWay;
    }

    /** Time at which the rate allows the next call; perhaps it is past. */
    long nextByRate(long now) {
        // tokens that gathered for longer than a second are forgotten
        long oldest = now - burstNanos();
        return (tokensUntil - oldest > 0 ? tokensUntil : oldest) + nanosBetween;
    }

    /** Whether the rate allows a second's calls at once, as in the beginning. */
    boolean isRested(long now) {
        return tokensUntil - (now - burstNanos()) <= 0;
    }

    /** Time after which the next of the calls under way ends, about. */
    long betweenEnds(long now) {
        // calls that take longer than those before have not ended yet
        long age = underWay == 0 ? 0 : (underWay * now - begins) / underWay;
        return Math.round(Math.max(age, meanNanos) / parallelism);
    }

    /** A call begins. */
    void begin(long now) {
        tokensUntil = nextByRate(now);
        underWay++;
        begins += now;
    }

    /** A call is no longer under way. */
    void leave(long begunAt) {
        // none is under way of a flow that began anew meanwhile
        if (underWay > 0) {
            underWay--;
            begins -= begunAt;
        }
    }

    /** A call has ended: its duration counts. */
    void end(long begunAt, long now) {
        leave(begunAt);
        meanNanos += WEIGHT_OF_LATEST * (now - begunAt - meanNanos);
    }
}
