package io.delayqueue.spring.listener;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.Subscription;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A running listener: one {@link Subscription} from each start to the next stop. Found by its id in the
 * {@link DelayQueueListenerEndpointRegistry}. Safe for use by several threads.
 *
 * <p>States: stopped → ({@link #start}) running → ({@link #stop}) stopped; beside that paused or not, also while stopped.
 */
public final class DelayQueueListenerContainer {

    private final DelayQueueListenerEndpoint endpoint;
    private final ConsumerOptions options;
    private final boolean autoStartup;
    private final Supplier<Subscription> subscribe;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Subscription subscription;
    private volatile boolean paused;

    DelayQueueListenerContainer(
            DelayQueueListenerEndpoint endpoint,
            ConsumerOptions options,
            boolean autoStartup,
            Supplier<Subscription> subscribe) {
        this.endpoint = endpoint;
        this.options = options;
        this.autoStartup = autoStartup;
        this.subscribe = subscribe;
    }

    /** The listener's name. */
    public String id() {
        return endpoint.id();
    }

    /** The topic it consumes. */
    public String topic() {
        return endpoint.topic();
    }

    /** How it consumes. */
    public ConsumerOptions options() {
        return options;
    }

    /** Whether it starts with the application. */
    public boolean isAutoStartup() {
        return autoStartup;
    }

    /** Starts to consume. No effect while running. */
    public void start() {
        lock.lock();
        try {
            if (subscription == null) {
                Subscription started = subscribe.get();
                if (paused) {
                    started.pause();
                }
                started.start();
                subscription = started;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops: claims no more, gives back what no handler has begun, waits for handlers, then interrupts them and gives their
     * messages back. No effect while stopped.
     *
     * @param grace how long to wait for handlers
     * @return true if all handlers finished in time
     */
    public boolean stop(Duration grace) {
        lock.lock();
        try {
            Subscription stopped = subscription;
            boolean finished = stopped == null || stopped.stop(grace);
            subscription = null;
            return finished;
        } finally {
            lock.unlock();
        }
    }

    /** Claims no more until {@link #resume}; messages being handled are finished. */
    public void pause() {
        lock.lock();
        try {
            paused = true;
            if (subscription != null) {
                subscription.pause();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends {@link #pause}. */
    public void resume() {
        lock.lock();
        try {
            paused = false;
            if (subscription != null) {
                subscription.resume();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether started and not stopped. */
    public boolean isRunning() {
        return subscription != null;
    }

    /** Whether paused. */
    public boolean isPaused() {
        return paused;
    }

    /** Whether the loop that claims messages is alive; true while stopped or paused. */
    public boolean isHealthy() {
        Subscription current = subscription;
        return current == null || current.isHealthy();
    }

    /** Messages being handled now. */
    public int inFlight() {
        Subscription current = subscription;
        return current == null ? 0 : current.inFlight();
    }

    DelayQueueListenerEndpoint endpoint() {
        return endpoint;
    }
}
