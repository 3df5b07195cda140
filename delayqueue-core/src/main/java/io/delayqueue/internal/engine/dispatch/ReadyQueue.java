package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The due messages of one subscription that wait for a handler slot, in their order. Not thread-safe. */
final class ReadyQueue {

    /** A due message that gets no slot within this time is released: another process may have a free one. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ArrayDeque<Entry> entries = new ArrayDeque<>();

    void add(InFlightMessage message) {
        entries.add(new Entry(message, System.nanoTime() + PATIENCE_NANOS));
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Removes the message that waits longest. There must be one. */
    InFlightMessage remove() {
        return entries.remove().message;
    }

    List<InFlightMessage> removeAll() {
        List<InFlightMessage> all = entries.stream().map(Entry::message).toList();
        entries.clear();
        return all;
    }

    /** Removes the message that waits longest, if it has waited too long. */
    @Nullable
    InFlightMessage removeImpatient() {
        return !entries.isEmpty() && nanosOfPatience() <= 0 ? remove() : null;
    }

    /** Time until the first message has waited too long. There must be one. */
    long nanosOfPatience() {
        return entries.element().endNanos - System.nanoTime();
    }

    private record Entry(InFlightMessage message, long endNanos) {}
}
