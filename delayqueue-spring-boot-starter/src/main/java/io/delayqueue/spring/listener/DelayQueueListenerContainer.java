package io.delayqueue.spring.listener;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.Subscription;
import io.delayqueue.SubscriptionLoad;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts, pauses and stops one listener: has one {@link Subscription} from each start to the next stop. Look it up by id in
 * the {@link DelayQueueListenerEndpointRegistry}. Safe for use by several threads.
 *
 * <p>States: stopped → ({@link #start}) running → ({@link #stop}) stopped. Apart from that, it is paused from {@link #pause} to
 * {@link #resume}, also while stopped, and while all listeners are
 * {@linkplain DelayQueueListenerEndpointRegistry#pauseAll paused for a reason}. Once {@linkplain
 * DelayQueueListenerEndpointRegistry#unregister unregistered}, it is stopped for good.
 */
public final class DelayQueueListenerContainer {

    private final DelayQueueListenerEndpoint endpoint;
    private final DelayQueueClient client;
    private final ConsumerOptions options;
    private final Duration shutdownTimeout;
    private final boolean autoStartup;
    private final Supplier<Subscription> subscribe;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Subscription subscription;
    private volatile boolean paused;
    private volatile boolean pausedWithAll;
    private volatile @Nullable KeepAlive keepAlive;
    private volatile boolean ended;

    DelayQueueListenerContainer(
            DelayQueueListenerEndpoint endpoint,
            DelayQueueClient client,
            ConsumerOptions options,
            boolean autoStartup,
            Supplier<Subscription> subscribe) {
        this.endpoint = endpoint;
        this.client = client;
        this.options = options;
        this.shutdownTimeout = client.options().shutdownTimeout();
        this.autoStartup = autoStartup;
        this.subscribe = subscribe;
    }

    /** The listener's id. */
    public String id() {
        return endpoint.id();
    }

    /** The topic it consumes. */
    public String topic() {
        return endpoint.topic();
    }

    /** The client it consumes with: the application's, or that of its own container factory. */
    public DelayQueueClient client() {
        return client;
    }

    /** The options it consumes with. */
    public ConsumerOptions options() {
        return options;
    }

    /** Longest time that its handlers may take to finish when the application stops: that of its client. */
    public Duration shutdownTimeout() {
        return shutdownTimeout;
    }

    /** Whether it starts with the application. */
    public boolean isAutoStartup() {
        return autoStartup;
    }

    /** Starts to consume. No effect while running, or once unregistered. */
    public void start() {
        lock.lock();
        try {
            if (subscription == null && !ended) {
                Subscription started = subscribe.get();
                if (isPaused()) {
                    started.pause();
                }
                started.start();
                subscription = started;
                if (keepAlive != null) {
                    keepAlive.started();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops the listener, and waits for its running handlers. In four steps, it claims no more messages, releases those that
     * no handler has begun, waits for the running handlers, then interrupts the remaining ones and releases their messages.
     * No effect while stopped.
     *
     * @param grace maximum time to wait for handlers
     * @return true if all handlers finished in time
     */
    public boolean stop(Duration grace) {
        lock.lock();
        try {
            Subscription stopped = subscription;
            if (stopped == null) {
                return true;
            }
            try {
                return stopped.stop(grace);
            } finally {
                subscription = null;
                if (keepAlive != null) {
                    keepAlive.stopped();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Stops the listener for good. */
    boolean end(Duration grace) {
        lock.lock();
        try {
            ended = true;
            return stop(grace);
        } finally {
            lock.unlock();
        }
    }

    /** Claims no more messages until {@link #resume}. Messages being handled are finished. */
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

    /** Ends {@link #pause}. It stays paused while all listeners are. */
    public void resume() {
        lock.lock();
        try {
            paused = false;
            resumeUnlessPaused();
        } finally {
            lock.unlock();
        }
    }

    /** Pauses, or ends that; {@link #pause} and {@link #resume} go on to count beside it. */
    void setPausedWithAll(boolean pausedNow) {
        lock.lock();
        try {
            pausedWithAll = pausedNow;
            if (subscription != null && pausedNow) {
                subscription.pause();
            }
            resumeUnlessPaused();
        } finally {
            lock.unlock();
        }
    }

    private void resumeUnlessPaused() {
        if (subscription != null && !isPaused()) {
            subscription.resume();
        }
    }

    /** Whether it was started and not stopped since. */
    public boolean isRunning() {
        return subscription != null;
    }

    /** Whether it was unregistered, and so is stopped for good. */
    public boolean isUnregistered() {
        return ended;
    }

    /** Whether it is paused, by itself or with all others. */
    public boolean isPaused() {
        return paused || pausedWithAll;
    }

    /** {@link Subscription#isHealthy()}; true while stopped. */
    public boolean isHealthy() {
        Subscription current = subscription;
        return current == null || current.isHealthy();
    }

    /** Number of messages leased to this listener now: prefetched, being handled, or being acked or retried. */
    public int inFlight() {
        Subscription current = subscription;
        return current == null ? 0 : current.inFlight();
    }

    /** Number of handlers that exceeded the timeout, ignored the interrupt and still run; those above the concurrency keep slots. */
    public int abandonedHandlers() {
        Subscription current = subscription;
        return current == null ? 0 : current.abandonedHandlers();
    }

    /** Its slots and its messages in this process; {@link SubscriptionLoad#NONE} while stopped. */
    public SubscriptionLoad load() {
        Subscription current = subscription;
        return current == null ? SubscriptionLoad.NONE : current.load();
    }

    /** Tells of each start and stop from now on; called before the first start. */
    void setKeepAlive(KeepAlive keepAlive) {
        this.keepAlive = keepAlive;
    }

    DelayQueueListenerEndpoint endpoint() {
        return endpoint;
    }
}
