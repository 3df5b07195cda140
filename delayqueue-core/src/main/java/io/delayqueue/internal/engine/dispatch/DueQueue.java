package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.shared.ThrottledLog;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps claimed messages of all topics until they are due, then hands each to its subscription. One thread
 * waits for the earliest message; it starts with the first message and ends when the queue is closed. Thread-safe.
 */
final class DueQueue implements AutoCloseable {

    private final ThrottledLog problems = new ThrottledLog("Due messages");
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition earlier = lock.newCondition();
    private final PriorityQueue<Entry> entries = new PriorityQueue<>();
    private long added;
    private @Nullable Thread thread;
    private boolean closed;

    /** Is empty, and has no thread yet. */
    DueQueue() {}

    /**
     * Keeps messages until they are due, then passes each on.
     *
     * @param stopped whether the consumer has stopped, and its {@link #remove} may be over: then nothing is kept
     */
    void add(List<InFlightMessage> messages, Consumer<InFlightMessage> whenDue, BooleanSupplier stopped) {
        lock.lock();
        try {
            if (closed || stopped.getAsBoolean()) {
                return;
            }
            if (thread == null) {
                thread = startThread();
            }
            Entry first = entries.peek();
            for (InFlightMessage message : messages) {
                entries.add(new Entry(message, whenDue, added++));
            }
            if (entries.peek() != first) {
                earlier.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Forgets the messages that were to be passed on to this consumer, which has stopped. */
    void remove(Consumer<InFlightMessage> whenDue) {
        lock.lock();
        try {
            entries.removeIf(entry -> entry.whenDue == whenDue);
        } finally {
            lock.unlock();
        }
    }

    /** The thread that waits; null before the first message. */
    @Nullable
    Thread thread() {
        lock.lock();
        try {
            return thread;
        } finally {
            lock.unlock();
        }
    }

    private Thread startThread() {
        Thread started = new Thread(this::run, "delayqueue-due");
        started.setDaemon(true);
        started.start();
        return started;
    }

    /** Nothing but {@link #close()} ends this thread: the early messages of all topics would wait for ever. */
    private void run() {
        List<Entry> due = new ArrayList<>();
        boolean open = true;
        while (open) {
            try {
                open = awaitDue(due);
            } catch (Throwable e) {
                problems.failed("waiting for the next due message failed; the wait begins again", e);
            }
            due.forEach(this::passOn);
            due.clear();
        }
    }

    private void passOn(Entry entry) {
        try {
            entry.whenDue.accept(entry.message);
        } catch (Throwable e) {
            // the messages behind this one must not wait for their leases
            problems.failed("a message could not be passed to its handlers", e);
        }
    }

    /** Waits for messages that are due, and moves them to the list. Returns false if the queue was closed. */
    private boolean awaitDue(List<Entry> due) {
        lock.lock();
        try {
            while (!closed && due.isEmpty()) {
                // a time, not the first message: this thread would keep one in memory that was removed while it waits
                long nanos = nanosUntilDue();
                if (nanos > 0) {
                    await(nanos);
                }
                removeDue(due);
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private long nanosUntilDue() {
        Entry first = entries.peek();
        return first == null ? Long.MAX_VALUE : -first.message.lateNanos();
    }

    private void removeDue(List<Entry> due) {
        for (Entry first = entries.peek(); first != null && first.message.lateNanos() >= 0; first = entries.peek()) {
            // in this order: an entry that can't be added stays
            due.add(first);
            entries.remove();
        }
    }

    private void await(long nanos) {
        try {
            earlier.awaitNanos(nanos);
        } catch (InterruptedException e) {
            // only close() ends this thread
        }
    }

    /** Ends the thread and forgets all messages. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            entries.clear();
            earlier.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** @param number keeps messages that are due at the same time in the order of their claim */
    private record Entry(InFlightMessage message, Consumer<InFlightMessage> whenDue, long number)
            implements Comparable<Entry> {

        @Override
        public int compareTo(Entry other) {
            long later = message.dueNanos() - other.message.dueNanos();
            return later != 0 ? Long.signum(later) : Long.compare(number, other.number);
        }
    }
}
