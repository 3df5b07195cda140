package io.delayqueue.jdbc.restore;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Messages that differed at a first look and wait for the second one, without their contents. Those found first come first. */
final class SuspiciousMessages {

    /** Some 12 MB. As many wait at the default rate of a restore, so that the second look does not slow it down. */
    static final int MOST = 30_000;

    private final long betweenLooksNanos;
    private final LongSupplier nanoTime;
    private final Map<String, Suspicious> waiting = new LinkedHashMap<>();

    private record Suspicious(RecordedMessage message, long foundNanos) {}

    /**
     * No messages.
     *
     * @param betweenLooks time from the first look to the second one
     * @param nanoTime a clock
     */
    SuspiciousMessages(Duration betweenLooks, LongSupplier nanoTime) {
        this.betweenLooksNanos = betweenLooks.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Adds messages after a look; for one that waits, this look is the first one now. */
    void add(List<RecordedMessage> messages) {
        long now = nanoTime.getAsLong();
        for (RecordedMessage message : messages) {
            String key = message.generation() + message.id();
            waiting.remove(key);
            waiting.put(key, new Suspicious(message, now));
        }
    }

    int size() {
        return waiting.size();
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Whether no more are to be added before the first of them are taken out. */
    boolean areMost() {
        return size() >= MOST;
    }

    /** Whether the first of them waits for long enough, or has to be waited for. */
    boolean isTimeToLook() {
        return areMost() || (!isEmpty() && untilNext().toNanos() <= 0);
    }

    /** Time until the first of them waits for long enough; zero or less if it does. */
    Duration untilNext() {
        return isEmpty()
                ? Duration.ZERO
                : Duration.ofNanos(untilLook(waiting.values().iterator().next()));
    }

    /** Takes out those that wait for long enough. */
    List<RecordedMessage> take() {
        List<RecordedMessage> taken = new ArrayList<>();
        Iterator<Suspicious> each = waiting.values().iterator();
        while (each.hasNext()) {
            Suspicious next = each.next();
            if (untilLook(next) > 0) {
                break;
            }
            taken.add(next.message());
            each.remove();
        }
        return taken;
    }

    private long untilLook(Suspicious some) {
        return betweenLooksNanos - (nanoTime.getAsLong() - some.foundNanos());
    }
}
