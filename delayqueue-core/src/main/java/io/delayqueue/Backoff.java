package io.delayqueue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

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
     * @param jitter share of the delay, 0 to 1, by which it varies at random, up or down; never beyond {@code max}
     */
    static Backoff exponential(Duration initial, double multiplier, Duration max, double jitter) {
        return new ExponentialBackoff(initial, multiplier, max, jitter);
    }
}

record ListedBackoff(List<Duration> delays) implements Backoff {
    ListedBackoff {
        delays = List.copyOf(delays);
        if (delays.isEmpty()) {
            throw new IllegalArgumentException("a backoff needs at least one delay");
        }
        for (Duration delay : delays) {
            if (delay.isNegative() || delay.compareTo(Delay.LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "a backoff's delay must be from 0 to " + Delay.LONGEST + ", not " + delay);
            }
        }
    }

    @Override
    public Duration delayAfter(int attempt) {
        return delays.get(Math.min(Math.max(attempt, 1), delays.size()) - 1);
    }
}

record ExponentialBackoff(Duration initial, double multiplier, Duration max, double jitter) implements Backoff {
    ExponentialBackoff {
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
