package io.delayqueue.internal.engine;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * When the store's clock shows a time, by this process' monotonic clock: then or a little later, but not earlier. An answer tells the store's
 * time at some moment between the question and the answer; that of the answer is late enough. The answer that took the least time to come tells best.
 */
final class ServerClock {

    /** Two clocks may drift apart by one part in so many. */
    private static final int CLOCKS_DIFFER = 1000;

    /** No more than this is gained from an earlier answer: if the store's clock was set back since, messages would be early by as much. */
    private static final long MOST_GAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final AtomicReference<@Nullable Moment> best = new AtomicReference<>();

    /**
     * @param micros the store's time
     * @param sentNanos when it was asked, by {@link System#nanoTime()}
     * @param answeredNanos when the answer was here
     */
    void told(long micros, long sentNanos, long answeredNanos) {
        Moment told = new Moment(micros, answeredNanos);
        best.updateAndGet(former -> former == null || !former.isBetter(told, sentNanos) ? told : former);
    }

    /** At the latest that late, by {@link System#nanoTime()}; there must have been an answer before. */
    long nanosOf(long micros) {
        return Objects.requireNonNull(best.get()).nanosOf(micros);
    }

    /** By then at the latest it was so late in the store. */
    private record Moment(long micros, long nanos) {

        long nanosOf(long otherMicros) {
            long wait = Alarm.nanos(otherMicros - micros);
            return nanos + wait + Math.max(0, wait / CLOCKS_DIFFER);
        }

        boolean isBetter(Moment later, long sentNanos) {
            long gain = later.nanos - nanosOf(later.micros);
            // it was not so late in the store before it was asked, unless its clock was set back
            return gain >= 0 && gain <= Math.min(MOST_GAIN_NANOS, later.nanos - sentNanos);
        }
    }
}
