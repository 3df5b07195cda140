package io.delayqueue.gateway.sqs.queue;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The names of topics as they were read last, for a second. Safe for use by several threads. */
final class KnownTopics {

    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

    private final ReentrantLock lock = new ReentrantLock();

    /** Changed with the lock only. */
    private volatile State state = new State(null, 0);

    /** The names that are known now, and when they were read. */
    State now() {
        return state;
    }

    /** Has names count for a second, unless others were read, or all forgotten, since a state was known. */
    void keep(State before, Set<String> names) {
        lock.lock();
        try {
            // the same object, not an equal one: what is unknown after another change is equal
            if (state == before) {
                state = new State(names, System.nanoTime());
            }
        } finally {
            lock.unlock();
        }
    }

    /** They were changed. */
    void forget() {
        lock.lock();
        try {
            state = new State(null, 0);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Names of topics.
     *
     * @param names the names; null if they are not known
     * @param readNanos when they were read
     */
    record State(@Nullable Set<String> names, long readNanos) {

        /** Whether they need not be read. */
        boolean isFresh() {
            return names != null && System.nanoTime() - readNanos <= FRESH_NANOS;
        }
    }
}
