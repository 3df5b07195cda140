package io.delayqueue.jdbc.support;

import io.delayqueue.Delay;
import java.time.Duration;
import java.time.Instant;

/** Times in µs, as the journal's tables keep them; parts of a µs are rounded up, so that nothing is early. */
public final class Micros {

    private Micros() {}

    /** A duration of any length that a delay may have. */
    public static long of(Duration duration) {
        return Math.addExact(Math.multiplyExact(duration.getSeconds(), 1_000_000L), (duration.getNano() + 999) / 1_000);
    }

    /** A duration as it is, an instant since the epoch; one before the epoch is in the past anyway. */
    public static long of(Delay delay) {
        if (delay instanceof Delay.After after) {
            return of(after.duration());
        }
        Instant due = ((Delay.At) delay).due();
        return due.isBefore(Instant.EPOCH) ? 0 : of(Duration.between(Instant.EPOCH, due));
    }
}
