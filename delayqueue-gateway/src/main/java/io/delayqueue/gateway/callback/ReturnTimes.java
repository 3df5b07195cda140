package io.delayqueue.gateway.callback;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The times at which the waiting messages of one target come back, in the order in which they were refused and as far apart as calls can
 * begin. So each is claimed again about once, however many wait. Times are those of {@link System#nanoTime()}. Not thread-safe.
 */
final class ReturnTimes {

    /** Messages of one target whose return is known. More are spaced alike, and compete with new messages when they come. */
    static final int MOST_KNOWN = 5_000;

    /** Messages that did not come in time, and keep their turn: a stall of Redis held them up, or another instance has them. */
    private static final int MOST_LATE = 2_000;

    /** Calls are kept free for a message as long as this multiple of the usual delay, so that instances leave each other no gaps. */
    private static final int LATE_FACTOR = 4;

    private static final long LEAST_LATE_NANOS = Duration.ofMillis(10).toNanos();

    /** A longer one counts as this: it is that of a stall. Calls are kept free for half a second at most. */
    private static final long MOST_DELAY_NANOS = Duration.ofMillis(125).toNanos();

    /** Weight of the latest message in the mean delay. */
    private static final double WEIGHT_OF_LATEST = 0.1;

    private final DoubleSupplier random;

    /** Messages that wait for their turn. */
    private final Line waiting;

    /** Messages that were held up, and found no call free when they came: the next ones are theirs. */
    private final Line again;

    private final Set<String> late = new LinkedHashSet<>();

    private double meanDelay = MOST_DELAY_NANOS;

    /**
     * No message waits.
     *
     * @param random numbers from 0 to 1
     */
    ReturnTimes(DoubleSupplier random, long now) {
        this.random = random;
        this.waiting = new Line(now);
        this.again = new Line(now);
    }

    /** A message is there. Returns whether its time has come. */
    boolean comes(String message, long now) {
        Long time = time(message);
        if (time == null) {
            return late.contains(message);
        }
        if (time - now > 0) {
            return false;
        }
        meanDelay += WEIGHT_OF_LATEST * (Math.min(MOST_DELAY_NANOS, now - time) - meanDelay);
        return true;
    }

    private @Nullable Long time(String message) {
        Long time = waiting.times.get(message);
        return time != null ? time : again.times.get(message);
    }

    /** Forgets a message that is called. */
    void remove(String message) {
        waiting.times.remove(message);
        again.times.remove(message);
        late.remove(message);
    }

    /** Number of known messages whose time has come, and which should be there any moment. */
    int expected(long now) {
        long patience = patience();
        return waiting.expected(now, patience) + again.expected(now, patience);
    }

    private long patience() {
        return Math.max(LEAST_LATE_NANOS, (long) (LATE_FACTOR * meanDelay));
    }

    /**
     * Gives a message the next time, or the one that it has if that is still to come. One that was held up does not wait behind others.
     *
     * @param spacing time between the begins of two calls
     * @param earliest before which no call can begin
     * @param horizon longest wait: messages beyond it come back within it, in no order
     * @return nanoseconds until the message comes back
     */
    long add(String message, long now, long earliest, long spacing, long horizon) {
        Long before = time(message);
        if (before != null && before - now > 0) {
            return before - now;
        }
        boolean wasHeldUp = late.contains(message) || before != null && now - before > patience();
        Line line = wasHeldUp || again.times.containsKey(message) ? again : waiting;
        remove(message);
        long wait = Math.max(Math.max(0, earliest - now), line.last - now + spacing);
        if (wait > horizon) {
            return (long) (horizon * (1 + random.getAsDouble()) / 2);
        }
        line.last = now + wait;
        if (waiting.times.size() + again.times.size() < MOST_KNOWN) {
            line.times.put(message, line.last);
        }
        return wait;
    }

    private void addLate(String message) {
        if (late.size() == MOST_LATE) {
            late.remove(late.iterator().next());
        }
        late.add(message);
    }

    /** Whether no message is known to come back. */
    boolean isEmpty(long now) {
        return expected(now) == 0 && waiting.times.isEmpty() && again.times.isEmpty();
    }

    /** Messages by the time at which they come back. */
    private final class Line {

        private final Map<String, Long> times = new LinkedHashMap<>();
        private long last;

        private Line(long now) {
            this.last = now;
        }

        private int expected(long now, long patience) {
            int expected = 0;
            for (Iterator<Map.Entry<String, Long>> all = times.entrySet().iterator(); all.hasNext(); ) {
                Map.Entry<String, Long> message = all.next();
                if (message.getValue() - now > 0) {
                    break;
                }
                if (now - message.getValue() > patience) {
                    addLate(message.getKey());
                    all.remove();
                } else {
                    expected++;
                }
            }
            return expected;
        }
    }
}
