package io.delayqueue.gateway.callback;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * The times at which the waiting messages of one target come back, in the order in which they were refused and as far apart as calls can
 * begin. So each is claimed again about once, however many wait. Times are those of {@link System#nanoTime()}. Not thread-safe.
 */
final class ReturnTimes {

    /** Messages of one target whose return is known. More are spaced alike, and compete with new messages when they come. */
    static final int MOST_KNOWN = 5_000;

    /** A message that is later than this has gone another way: to another instance, or it was cancelled. */
    private static final long LATE_NANOS = Duration.ofMillis(500).toNanos();

    private final DoubleSupplier random;
    private final Map<String, Long> known = new LinkedHashMap<>();
    private long last;

    /**
     * No message waits.
     *
     * @param random numbers from 0 to 1
     */
    ReturnTimes(DoubleSupplier random, long now) {
        this.random = random;
        this.last = now;
    }

    /** Whether the time of a message has come. */
    boolean isTurnOf(String message, long now) {
        Long time = known.get(message);
        return time != null && time - now <= 0;
    }

    /** Forgets a message that is called. */
    void remove(String message) {
        known.remove(message);
    }

    /** Number of known messages whose time has come, and which should be there any moment. */
    int expected(long now) {
        int expected = 0;
        for (Iterator<Long> times = known.values().iterator(); times.hasNext(); ) {
            long time = times.next();
            if (time - now > 0) {
                break;
            }
            if (now - time > LATE_NANOS) {
                times.remove();
            } else {
                expected++;
            }
        }
        return expected;
    }

    /**
     * Gives a message the next time, or the one that it has if that is still to come.
     *
     * @param spacing time between the begins of two calls
     * @param earliest before which no call can begin
     * @param horizon longest wait: messages beyond it come back within it, in no order
     * @return nanoseconds until the message comes back
     */
    long add(String message, long now, long earliest, long spacing, long horizon) {
        Long before = known.get(message);
        if (before != null && before - now > 0) {
            return before - now;
        }
        known.remove(message);
        long time = Math.max(Math.max(0, earliest - now), last - now + spacing);
        if (time > horizon) {
            return (long) (horizon * (1 + random.getAsDouble()) / 2);
        }
        last = now + time;
        if (known.size() < MOST_KNOWN) {
            known.put(message, last);
        }
        return time;
    }

    /** Whether no message is known to come back. */
    boolean isEmpty(long now) {
        return expected(now) == 0 && known.isEmpty();
    }
}
