package io.delayqueue;

import java.time.Duration;
import java.util.List;

/**
 * A backoff of listed delays: the first after the first attempt, the second after the second, the last one after all further attempts.
 * Made by {@link Backoff#delays} and {@link Backoff#fixed}; public so that programs can show its settings.
 *
 * @param delays the delays, at least one, none negative
 */
public record ListedBackoff(List<Duration> delays) implements Backoff {
    /** Refuses delays out of range, and an empty list. */
    public ListedBackoff {
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
