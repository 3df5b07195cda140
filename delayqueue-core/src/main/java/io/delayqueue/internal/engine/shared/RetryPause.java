package io.delayqueue.internal.engine.shared;

import java.util.concurrent.TimeUnit;

/**
 * The pauses between repetitions of a failed call to Redis: each twice as long as the one before.
 *
 * @param nanos the next pause
 */
public record RetryPause(long nanos) {

    /** A connection that broke is usually back within this time. */
    public static final RetryPause FIRST = new RetryPause(TimeUnit.MILLISECONDS.toNanos(50));

    /** Within this time of its return, a Redis that was away is used again. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The pause after this one. */
    public RetryPause next() {
        return new RetryPause(Math.min(2 * nanos, LONGEST_NANOS));
    }
}
