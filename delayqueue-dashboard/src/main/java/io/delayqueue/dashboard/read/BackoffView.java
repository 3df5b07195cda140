package io.delayqueue.dashboard.read;

import io.delayqueue.Backoff;
import io.delayqueue.ExponentialBackoff;
import io.delayqueue.ListedBackoff;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Delays between attempts, for the page to say in words: a list, or a first one that grows. Of the application's own kind, only its
 * text is known.
 *
 * @param delays delays after each attempt in milliseconds; empty if it is no list
 * @param initialMillis delay after the first attempt; null if it does not grow
 * @param multiplier growth per attempt; null if it does not grow
 * @param maxMillis maximum delay; null if it does not grow
 * @param jitter share by which a delay varies; null if it does not grow
 * @param text its text in Java
 */
record BackoffView(
        List<Long> delays,
        @Nullable Long initialMillis,
        @Nullable Double multiplier,
        @Nullable Long maxMillis,
        @Nullable Double jitter,
        String text) {

    static BackoffView of(Backoff backoff) {
        String text = String.valueOf(backoff);
        if (backoff instanceof ListedBackoff listed) {
            List<Long> delays = listed.delays().stream().map(Duration::toMillis).toList();
            return new BackoffView(delays, null, null, null, null, text);
        }
        if (backoff instanceof ExponentialBackoff growing) {
            return new BackoffView(
                    List.of(),
                    growing.initial().toMillis(),
                    growing.multiplier(),
                    growing.max().toMillis(),
                    growing.jitter(),
                    text);
        }
        return new BackoffView(List.of(), null, null, null, null, text);
    }
}
