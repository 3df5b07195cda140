package io.delayqueue.jdbc.restore;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.jdbc.relay.OutboxLifecycle;
import org.springframework.context.SmartLifecycle;

/** Starts the watch after the client, and ends it before it. */
public final class RestoreLifecycle implements SmartLifecycle {

    private final LossWatch watch;
    private final DelayQueueClient client;

    public RestoreLifecycle(LossWatch watch, DelayQueueClient client) {
        this.watch = watch;
        this.client = client;
    }

    @Override
    public void start() {
        watch.start();
    }

    @Override
    public void stop() {
        watch.close();
    }

    @Override
    public boolean isRunning() {
        return watch.isRunning();
    }

    /** As that of the outbox, whose relays send what is restored. */
    @Override
    public int getPhase() {
        return OutboxLifecycle.phaseOf(client);
    }
}
