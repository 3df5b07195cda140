package io.delayqueue.benchmarks.peer;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A delay queue, used as its documentation advises. It has a public constructor that takes {@link PeerSettings}, and is safe for
 * use by several threads.
 */
public interface Peer extends AutoCloseable {

    /** Schedules a message and returns when the peer has accepted it. */
    void schedule(Outgoing message) throws Exception;

    /** {@link #schedule} without waiting; null if the peer can't, so that waiting threads are used instead. */
    default @Nullable CompletionStage<?> scheduleAsync(Outgoing message) {
        return null;
    }

    /** Schedules messages in the peer's best way for batches and returns when it has accepted all. */
    default void scheduleAll(List<Outgoing> messages) throws Exception {
        for (Outgoing message : messages) {
            schedule(message);
        }
    }

    /**
     * Starts to pass due messages to the handler, until the result is closed.
     *
     * @param concurrency handlers at a time, for each topic
     */
    AutoCloseable consume(List<String> topics, int concurrency, Handler handler) throws Exception;

    /** Counters of the peer itself, such as its calls by kind. */
    default Map<String, Long> counters() {
        return Map.of();
    }
}
