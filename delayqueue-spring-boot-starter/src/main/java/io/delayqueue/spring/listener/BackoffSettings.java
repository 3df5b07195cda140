package io.delayqueue.spring.listener;

import io.delayqueue.Backoff;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Configured delays between attempts: growing ones, or a list. A setting that is not configured is null or empty.
 *
 * @param initial delay after the first attempt
 * @param multiplier growth per attempt
 * @param max maximum delay
 * @param jitter share of the delay by which it varies at random
 * @param delays delay after the first attempt, after the second and so on; takes precedence over the other settings
 */
public record BackoffSettings(
        @Nullable Duration initial,
        @Nullable Double multiplier,
        @Nullable Duration max,
        @Nullable Double jitter,
        List<Duration> delays) {

    /** No setting configured. */
    public static final BackoffSettings NONE = new BackoffSettings(null, null, null, null, List.of());

    /** The same as {@link io.delayqueue.ConsumerOptions#DEFAULT_BACKOFF}. */
    public static final BackoffSettings DEFAULTS =
            new BackoffSettings(Duration.ofSeconds(1), 2.0, Duration.ofMinutes(10), 0.1, List.of());

    public BackoffSettings {
        delays = List.copyOf(delays);
    }

    /** The first delay, which doubles with each attempt up to a maximum. */
    public static BackoffSettings doubling(Duration initial, Duration max) {
        return new BackoffSettings(initial, 2.0, max, null, List.of());
    }

    /** The delay after the first attempt, after the second and so on; the last one repeats. */
    public static BackoffSettings ofDelays(Duration... delays) {
        return new BackoffSettings(null, null, null, null, List.of(delays));
    }

    /** These settings, with defaults for those that are not configured. */
    public BackoffSettings withDefaults(BackoffSettings defaults) {
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
     * The backoff, with {@link #DEFAULTS} for settings that are not configured.
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
