package io.delayqueue.spring.listener;

import io.delayqueue.Backoff;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Delays between attempts as they were written down: growing ones, or a list. Null or empty where nothing was said.
 *
 * @param initial delay after the first attempt
 * @param multiplier growth per attempt
 * @param max the longest delay
 * @param jitter share of the delay by which it is varied
 * @param delays one delay after each attempt in turn; goes before the others
 */
public record BackoffSettings(
        @Nullable Duration initial,
        @Nullable Double multiplier,
        @Nullable Duration max,
        @Nullable Double jitter,
        List<Duration> delays) {

    /** Says nothing. */
    public static final BackoffSettings NONE = new BackoffSettings(null, null, null, null, List.of());

    /** The same as {@link io.delayqueue.ConsumerOptions#DEFAULT_BACKOFF}. */
    public static final BackoffSettings DEFAULTS =
            new BackoffSettings(Duration.ofSeconds(1), 2.0, Duration.ofMinutes(10), 0.1, List.of());

    public BackoffSettings {
        delays = List.copyOf(delays);
    }

    /** These settings, completed by others where they say nothing. */
    public BackoffSettings over(BackoffSettings defaults) {
        if (!delays.isEmpty()) {
            return this;
        }
        if (!isGrowing()) {
            return defaults;
        }
        return new BackoffSettings(
                initial != null ? initial : defaults.initial,
                multiplier != null ? multiplier : defaults.multiplier,
                max != null ? max : defaults.max,
                jitter != null ? jitter : defaults.jitter,
                List.of());
    }

    /**
     * The backoff, {@link #DEFAULTS} where nothing was said.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public Backoff toBackoff() {
        if (!delays.isEmpty()) {
            return Backoff.delays(delays);
        }
        return Backoff.exponential(
                initial != null ? initial : Duration.ofSeconds(1),
                multiplier != null ? multiplier : 2,
                max != null ? max : Duration.ofMinutes(10),
                jitter != null ? jitter : 0.1);
    }

    boolean isGrowing() {
        return initial != null || multiplier != null || max != null || jitter != null;
    }
}
