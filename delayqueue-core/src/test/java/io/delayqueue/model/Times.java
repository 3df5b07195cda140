package io.delayqueue.model;

import io.delayqueue.Delay;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The times used in the sequences. All but one are in the past or hours away; the steps wait for short times on Redis' clock.
 * Messages due in a while fall due at any time, or are claimed early: each answer is judged by the time that it names.
 */
enum Times {
    /** Longer ago than the short time to live. */
    LONG_AGO,
    /** Less long ago than the short time to live. */
    MINUTES_AGO,
    NOW,
    /** In a millisecond, which the step waits for. */
    SOON,
    /** Within the time of early claims, which the step does not wait for. */
    IN_A_WHILE,
    IN_HOURS,
    AT_A_DISTANT_INSTANT;

    static final Duration MOMENT = Duration.ofMillis(1);
    static final Duration WHILE = Duration.ofMillis(900);
    static final Duration HOURS = Duration.ofHours(5);
    static final Duration SHORT_TIME_TO_LIVE = Duration.ofHours(3);

    /** @param shift µs that make instants differ, so that their order is defined; up to 3 s */
    Delay delay(int shift) {
        Instant base = Instant.now().truncatedTo(ChronoUnit.MICROS).plus(shift, ChronoUnit.MICROS);
        return switch (this) {
            case LONG_AGO -> Delay.until(base.minus(HOURS));
            case MINUTES_AGO -> Delay.until(base.minus(Duration.ofMinutes(30)));
            case NOW -> Delay.NONE;
            case SOON -> Delay.of(MOMENT);
            case IN_A_WHILE -> Delay.of(WHILE.minus(shift % 200_000, ChronoUnit.MICROS));
            case IN_HOURS -> Delay.of(HOURS);
            case AT_A_DISTANT_INSTANT -> Delay.until(base.plus(HOURS));
        };
    }

    /** The due time of a message that Redis accepts within the window. */
    static TimeWindow due(Delay delay, TimeWindow accepted) {
        if (delay instanceof Delay.After after) {
            return accepted.plus(after.duration());
        }
        return TimeWindow.exactly(micros(((Delay.At) delay).due()));
    }

    static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
