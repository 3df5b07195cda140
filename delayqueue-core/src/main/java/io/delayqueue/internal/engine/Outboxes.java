package io.delayqueue.internal.engine;

import io.delayqueue.Outbox;
import io.delayqueue.OutboxOptions;

/**
 * The outboxes of a client. Their futures complete on threads of their own: what an application chains to other futures of the client
 * holds up no relay. Thread-safe.
 */
final class Outboxes implements AutoCloseable {

    private final OutboxContext context;
    private final GrowingThreads threads = new GrowingThreads("delayqueue-outbox-");
    private final UserFutures futures;

    Outboxes(OutboxContext context) {
        this.context = context;
        this.futures = new UserFutures(threads, context.client().options().maxWaitingMessages());
    }

    Outbox of(OutboxOptions options) {
        return new OutboxCalls(context, options, futures);
    }

    /** Runs what futures that are complete wait for. */
    @Override
    public void close() {
        threads.close();
    }
}
