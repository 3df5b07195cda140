package io.delayqueue.dashboard.read;

import io.delayqueue.Backoff;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    /** The two kinds of the library are records, and not public. */
    private static final Pattern LISTED = Pattern.compile("ListedBackoff\\[delays=\\[(.+)]]");

    private static final Pattern EXPONENTIAL =
            Pattern.compile("ExponentialBackoff\\[initial=(PT.+), multiplier=(.+), max=(PT.+), jitter=(.+)]");

    static BackoffView of(Backoff backoff) {
        String text = String.valueOf(backoff);
        Matcher listed = LISTED.matcher(text);
        Matcher exponential = EXPONENTIAL.matcher(text);
        if (!backoff.getClass().getPackageName().equals(Backoff.class.getPackageName())) {
            return new BackoffView(List.of(), null, null, null, null, text);
        }
        if (listed.matches()) {
            List<Long> delays = Arrays.stream(listed.group(1).split(", "))
                    .map(BackoffView::millis)
                    .toList();
            return new BackoffView(delays, null, null, null, null, text);
        }
        return exponential.matches()
                ? new BackoffView(
                        List.of(),
                        millis(exponential.group(1)),
                        Double.valueOf(exponential.group(2)),
                        millis(exponential.group(3)),
                        Double.valueOf(exponential.group(4)),
                        text)
                : new BackoffView(List.of(), null, null, null, null, text);
    }

    private static long millis(String duration) {
        return Duration.parse(duration).toMillis();
    }
}
