package io.delayqueue.internal;

import java.time.Duration;

/** Converts durations that the user chose to nanoseconds, without overflow. */
public final class Nanos {

    /** Longer waits are cut to this: no process lives as long, and a time of {@link System#nanoTime()} can be added to it. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Nanos() {}

    /** The duration in nanoseconds, at most 100 years. */
    public static long of(Duration duration) {
        return duration.compareTo(LONGEST) < 0 ? duration.toNanos() : LONGEST.toNanos();
    }
}
