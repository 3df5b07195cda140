package io.delayqueue.gateway.callback;

import java.time.Duration;

/**
 * Limits of the calls of one target.
 *
 * @param perSecond calls a second; {@link Double#POSITIVE_INFINITY} for no limit. As many may come at once
 * @param parallelism calls that may be under way at once
 * @param failures number of failures in succession after which calls are stopped
 * @param initialBreak time for which they are stopped, and for which a target is left alone that asks for fewer calls and says no time;
 *     doubled each time that the call which is let through afterwards fails, too
 * @param maxBreak longest time for which they are stopped
 */
record FlowLimits(double perSecond, int parallelism, int failures, Duration initialBreak, Duration maxBreak) {

    FlowLimits {
        if (!(perSecond > 0)) {
            throw new IllegalArgumentException("the rate of a target must be positive, not " + perSecond);
        }
        if (parallelism < 1 || failures < 1) {
            throw new IllegalArgumentException("parallelism and failures of a target must be positive");
        }
        if (initialBreak.isZero() || initialBreak.isNegative() || initialBreak.compareTo(maxBreak) > 0) {
            throw new IllegalArgumentException("initial-break must be positive, and at most max-break");
        }
    }

    /** The limits of one URL among others of the target: its calls count among the target's. */
    FlowLimits ofOneUrl() {
        return new FlowLimits(Double.POSITIVE_INFINITY, Integer.MAX_VALUE, failures, initialBreak, maxBreak);
    }
}
