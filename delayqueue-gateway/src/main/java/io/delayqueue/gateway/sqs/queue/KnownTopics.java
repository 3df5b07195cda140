package io.delayqueue.gateway.sqs.queue;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The names of topics as they were read last, for a second. Safe for use by several threads. */
final class KnownTopics {

    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

    private final AtomicReference<State> state = new AtomicReference<>(new State(null, 0));

    /** What is known now. */
    State now() {
        return state.get();
    }

    /** Has names count for a second, unless others were read, or all forgotten, since a state was known. */
    void keep(State before, Set<String> names) {
        state.compareAndSet(before, new State(names, System.nanoTime()));
    }

    /** They were changed. */
    void forget() {
        state.set(new State(null, 0));
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
