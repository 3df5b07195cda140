package io.delayqueue.jdbc.relay;

import io.delayqueue.DelayQueueClient;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;

/** Starts hand-over and relay behind their client, and ends them before it, but behind everything that schedules. */
public final class OutboxLifecycle implements SmartLifecycle {

    private final QueuedHandOver handOver;
    private final Relay relay;
    private final DelayQueueClient client;

    public OutboxLifecycle(QueuedHandOver handOver, Relay relay, DelayQueueClient client) {
        this.handOver = handOver;
        this.relay = relay;
        this.client = client;
    }

    @Override
    public void start() {
        handOver.start();
        relay.start();
    }

    @Override
    public void stop() {
        handOver.close();
        relay.close();
    }

    @Override
    public boolean isRunning() {
        return relay.isRunning();
    }

    /** The client's own, in which a bean is stopped before those that it depends on. The template has the next one. */
    @Override
    public int getPhase() {
        return client instanceof Phased phased ? phased.getPhase() : -1;
    }
}
