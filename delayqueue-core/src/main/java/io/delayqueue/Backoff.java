package io.delayqueue;

import java.time.Duration;
import java.util.List;

/** Delays between the attempts of a message. Implementations must be safe for use by several threads. */
@FunctionalInterface
public interface Backoff {

    /**
     * Delay between a failed attempt and the next one, not negative.
     *
     * @param attempt number of the failed attempt, from 1
     */
    Duration delayAfter(int attempt);

    /** The same delay after every attempt. */
    static Backoff fixed(Duration delay) {
        return new ListedBackoff(List.of(delay));
    }

    /** The first delay after the first attempt, the second after the second; the last one after all further attempts. */
    static Backoff delays(List<Duration> delays) {
        return new ListedBackoff(delays);
    }

    /**
     * A delay that grows by a factor with every attempt.
     *
     * @param initial delay after the first attempt, positive
     * @param multiplier growth per attempt, at least 1
     * @param max maximum delay, at least {@code initial}
     * @param jitter share of the delay, 0 to 1, by which it varies at random, up or down; never above {@code max}
     */
    static Backoff exponential(Duration initial, double multiplier, Duration max, double jitter) {
        return new ExponentialBackoff(initial, multiplier, max, jitter);
    }
}
