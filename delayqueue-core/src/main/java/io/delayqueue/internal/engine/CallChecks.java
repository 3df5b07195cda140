package io.delayqueue.internal.engine;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.internal.Names;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Refuses calls of a client that is closed, and calls that no server could answer, before anything is sent. Thread-safe. */
final class CallChecks {

    private final DelayQueueOptions options;
    private final AtomicBoolean closed = new AtomicBoolean();

    CallChecks(DelayQueueOptions options) {
        this.options = options;
    }

    /** Refuses all calls from now on; false if the client was closed before. */
    boolean close() {
        return closed.compareAndSet(false, true);
    }

    boolean isClosed() {
        return closed.get();
    }

    void requireOpen(@Nullable String topic) {
        if (closed.get()) {
            throw new DelayQueueClosedException("the delay queue is closed", topic, null, null);
        }
    }

    void requireTopic(String topic) {
        Names.requireTopic(topic);
        requireOpen(topic);
    }

    void requireMessage(String topic, String id) {
        requireTopic(topic);
        Names.requireId(topic, id);
    }

    void requireMessages(String topic, Collection<String> ids) {
        requireTopic(topic);
        ids.forEach(id -> Names.requireId(topic, id));
    }

    /** A lease that ended before its message is due would make it due then. At most half: a handler needs some of the lease as well. */
    void requireConsumer(String topic, ConsumerOptions consumerOptions) {
        requireTopic(topic);
        if (options.claimAhead().multipliedBy(2).compareTo(consumerOptions.lease()) > 0) {
            throw new IllegalArgumentException("claimAhead must be at most half the lease, but claimAhead is "
                    + options.claimAhead() + " and the lease of the consumer of topic '" + topic + "' "
                    + consumerOptions.lease());
        }
    }
}
