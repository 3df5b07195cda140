package io.delayqueue.internal.engine.consume;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Maps times of the server's clock to this process' monotonic clock: never too early, and late by no more than an answer took. An
 * answer tells the server's time at some moment between request and answer; the moment of the answer is late enough. The answer
 * that took the least time tells best. Thread-safe.
 */
final class ServerClock {

    /** The two clocks may drift apart by one part in this many: ten times what a bad quartz does. */
    private static final int DRIFT_DIVISOR = 1000;

    /**
     * An earlier answer is trusted over the latest one by no more than this: after the server's clock was set back, messages are early by
     * as much.
     */
    private static final long MAX_GAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Longer waits are cut to this: it does not overflow, and the guard interval ends every wait earlier. */
    private static final long MAX_WAIT_MICROS = TimeUnit.DAYS.toMicros(365);

    private final AtomicReference<@Nullable Reading> best = new AtomicReference<>();

    /** A relative time of the server in nanoseconds, without overflow. */
    static long nanos(long micros) {
        return TimeUnit.MICROSECONDS.toNanos(Math.min(micros, MAX_WAIT_MICROS));
    }

    /**
     * Takes an answer into account.
     *
     * @param micros the server's time, in µs since the epoch
     * @param sentNanos when the request was sent, by {@link System#nanoTime()}
     * @param answeredNanos when the answer was here
     */
    void update(long micros, long sentNanos, long answeredNanos) {
        Reading latest = new Reading(micros, answeredNanos);
        best.updateAndGet(former -> former == null || !former.isBetter(latest, sentNanos) ? latest : former);
    }

    /** Upper bound of a time of the server, by {@link System#nanoTime()}. There must have been an answer before. */
    long nanosOf(long micros) {
        return Objects.requireNonNull(best.get()).nanosOf(micros);
    }

    /** Lower bound of the server's clock at that time of the monotonic clock, µs since the epoch; 0 before the first answer. */
    long microsAt(long nanos) {
        Reading reading = best.get();
        return reading == null ? 0 : reading.microsAt(nanos);
    }

    /** At this time of the monotonic clock, the server's clock showed at least this time. */
    private record Reading(long micros, long nanos) {

        long nanosOf(long otherMicros) {
            long wait = ServerClock.nanos(otherMicros - micros);
            return nanos + wait + Math.max(0, wait / DRIFT_DIVISOR);
        }

        long microsAt(long otherNanos) {
            long passed = TimeUnit.NANOSECONDS.toMicros(otherNanos - nanos);
            return micros + passed - Math.max(0, passed / DRIFT_DIVISOR);
        }

        boolean isBetter(Reading later, long sentNanos) {
            long gain = later.nanos - nanosOf(later.micros);
            // the server's time was read after the request was sent, unless its clock was set back
            return gain >= 0 && gain <= Math.min(MAX_GAIN_NANOS, later.nanos - sentNanos);
        }
    }
}
