package io.delayqueue;

import java.time.Duration;
import java.time.Instant;

/** Due time of a message: a duration from now by Redis' clock, or an instant. Immutable. */
public sealed interface Delay {

    /** Longest duration that any option accepts: 1,000 years of 365 days. */
    Duration LONGEST = Duration.ofDays(365_000);

    /** Latest due time: the end of the year 9999, the last that ISO 8601 writes with four digits. */
    Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

    /** Due at once. */
    Delay NONE = new After(Duration.ZERO);

    /**
     * Due after a duration, which Redis counts from the moment it accepts the message. Parts of a microsecond are rounded
     * up; a negative duration means at once.
     *
     * @throws IllegalArgumentException if longer than {@link #LONGEST}
     */
    static Delay of(Duration duration) {
        return duration.isNegative() ? NONE : new After(duration);
    }

    /**
     * Due at an instant of Redis' clock. Parts of a microsecond are rounded up; an instant in the past means at once.
     *
     * @throws IllegalArgumentException if after the year 9999
     */
    static Delay until(Instant due) {
        return new At(due);
    }

    /**
     * Due after a duration.
     *
     * @param duration not negative, at most {@link #LONGEST}
     */
    record After(Duration duration) implements Delay {
        public After {
            if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException("a delay must be from 0 to " + LONGEST + ", not " + duration);
            }
        }
    }

    /**
     * Due at an instant.
     *
     * @param due by Redis' clock, at most {@link #LATEST}
     */
    record At(Instant due) implements Delay {
        public At {
            if (due.isAfter(LATEST)) {
                throw new IllegalArgumentException("a due time must not be after the year 9999, but is " + due);
            }
        }
    }
}
