package io.delayqueue;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A backoff whose delay grows with every attempt, made by {@link Backoff#exponential}. Public so that programs can show its settings.
 *
 * @param initial delay after the first attempt, positive
 * @param multiplier growth per attempt, at least 1
 * @param max maximum delay, at least {@code initial}
 * @param jitter share of the delay, 0 to 1, by which it varies at random, up or down; never above {@code max}
 */
public record ExponentialBackoff(Duration initial, double multiplier, Duration max, double jitter) implements Backoff {
    /** Refuses values out of range. */
    public ExponentialBackoff {
        if (initial.isZero() || initial.isNegative()) {
            throw new IllegalArgumentException("a backoff's initial delay must be positive, not " + initial);
        }
        if (!(multiplier >= 1) || Double.isInfinite(multiplier)) {
            throw new IllegalArgumentException("a backoff's multiplier must be at least 1, not " + multiplier);
        }
        if (max.compareTo(initial) < 0 || max.compareTo(Delay.LONGEST) > 0) {
            throw new IllegalArgumentException("a backoff's max must be from its initial delay (" + initial + ") to "
                    + Delay.LONGEST + ", not " + max);
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException("a backoff's jitter must be from 0 to 1, not " + jitter);
        }
    }

    @Override
    public Duration delayAfter(int attempt) {
        double longest = seconds(max);
        double delay = Math.min(longest, seconds(initial) * Math.pow(multiplier, Math.max(attempt, 1) - 1));
        double varied = delay * (1 + jitter * (2 * ThreadLocalRandom.current().nextDouble() - 1));
        if (varied >= longest) {
            return max;
        }
        // in two parts: a long of nanoseconds ends after 292 years
        long whole = (long) varied;
        return Duration.ofSeconds(whole, Math.round((varied - whole) * 1e9));
    }

    private static double seconds(Duration duration) {
        return duration.getSeconds() + duration.getNano() / 1e9;
    }
}
