package io.delayqueue.internal.redis;

import io.delayqueue.Delay;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Converts Java's times to the scripts' microseconds and back. Fractions of a microsecond are rounded up: late, never early. */
final class Micros {

    private static final long PER_SECOND = 1_000_000;
    private static final long LONGEST = Delay.LONGEST.toSeconds() * PER_SECOND;
    private static final long LATEST = wholeAndPart(Delay.LATEST.getEpochSecond(), Delay.LATEST.getNano());

    private Micros() {}

    /** From 0 to 1,000 years. */
    static long of(Duration duration) {
        if (duration.isNegative()) {
            return 0;
        }
        if (duration.compareTo(Delay.LONGEST) >= 0) {
            return LONGEST;
        }
        return wholeAndPart(duration.getSeconds(), duration.getNano());
    }

    /** From 1970 to the year 9999. */
    static long of(Instant instant) {
        if (instant.isBefore(Instant.EPOCH)) {
            return 0;
        }
        if (!instant.isBefore(Delay.LATEST)) {
            return LATEST;
        }
        return wholeAndPart(instant.getEpochSecond(), instant.getNano());
    }

    /** As {@link #of(Instant)}, in digits; empty for null. */
    static String text(@Nullable Instant instant) {
        return instant == null ? "" : Long.toString(of(instant));
    }

    /** A due time as the scripts take it: µs since the epoch, or -1 - µs from now. */
    static long due(Delay delay) {
        if (delay instanceof Delay.After after) {
            return -1 - of(after.duration());
        }
        return roundedUpToScore(of(((Delay.At) delay).due()));
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    static Duration duration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    private static long wholeAndPart(long seconds, int nanos) {
        return seconds * PER_SECOND + (nanos + 999) / 1000;
    }

    /** Scores are doubles: after the year 2255 they are more than a microsecond apart. */
    static long roundedUpToScore(long micros) {
        double score = (double) micros;
        return (long) ((long) score < micros ? Math.nextUp(score) : score);
    }
}
