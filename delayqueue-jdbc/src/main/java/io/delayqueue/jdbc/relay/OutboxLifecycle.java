package io.delayqueue.jdbc.relay;

import io.delayqueue.DelayQueueClient;
import java.time.Duration;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;

/** Starts hand-over and relay after their client, and ends them before it, but after everything that schedules. */
public final class OutboxLifecycle implements SmartLifecycle {

    /** Time for the relay's batch when the hand-over took all of the timeout. */
    private static final Duration LEAST = Duration.ofMillis(100);

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

    /**
     * Sends committed changes, unless Redis or the database is unavailable, within the client's
     * {@link io.delayqueue.DelayQueueOptions#shutdownTimeout()}. The rest is left to other instances, or to the next start.
     */
    @Override
    public void stop() {
        Duration timeout = client.options().shutdownTimeout();
        long began = System.nanoTime();
        handOver.close(timeout);
        Duration left = timeout.minusNanos(System.nanoTime() - began);
        relay.close(left.compareTo(LEAST) > 0 ? left : LEAST);
    }

    @Override
    public boolean isRunning() {
        return relay.isRunning();
    }

    @Override
    public int getPhase() {
        return phaseOf(client);
    }

    /**
     * The phase of what works with a client: the client's own, in which a bean is stopped before those that it depends on. The template has
     * the next one. For a client without a phase, the one after connection factories, which have 0.
     */
    public static int phaseOf(DelayQueueClient client) {
        return client instanceof Phased phased ? phased.getPhase() : 1;
    }
}
