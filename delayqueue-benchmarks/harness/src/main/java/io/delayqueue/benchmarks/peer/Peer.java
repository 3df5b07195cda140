package io.delayqueue.benchmarks.peer;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A delay queue, used as its documentation says. Made by a public constructor that takes a {@link PeerSettings}; used by many
 * threads.
 */
public interface Peer extends AutoCloseable {

    /** Schedules a message, and returns when the peer has it. */
    void schedule(Outgoing message) throws Exception;

    /** {@link #schedule} without waiting, or null where the peer can't: then threads that wait are used instead. */
    default @Nullable CompletionStage<?> scheduleAsync(Outgoing message) {
        return null;
    }

    /** Schedules many in the best way that the peer has for it, and returns when it has them all. */
    default void scheduleAll(List<Outgoing> messages) throws Exception {
        for (Outgoing message : messages) {
            schedule(message);
        }
    }

    /**
     * Starts to hand what is due to the handler, so many at a time, until it is closed.
     *
     * @param concurrency for each of the topics
     */
    AutoCloseable consume(List<String> topics, int concurrency, Handler handler) throws Exception;

    /** What the peer counts itself, growing, such as its calls by kind. */
    default Map<String, Long> counters() {
        return Map.of();
    }
}
