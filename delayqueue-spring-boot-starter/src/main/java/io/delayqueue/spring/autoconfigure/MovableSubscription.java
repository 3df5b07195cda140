package io.delayqueue.spring.autoconfigure;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageHandler;
import io.delayqueue.Subscription;
import io.delayqueue.SubscriptionLoad;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** A subscription that goes on with another client when the one it began with can't reach Redis any more. Thread-safe. */
final class MovableSubscription implements Subscription {

    private final String topic;
    private final ConsumerOptions options;
    private final MessageHandler handler;
    private final Set<MovableSubscription> running;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Subscription current;
    private boolean started;

    /**
     * A subscription that is not started.
     *
     * @param client the client to begin with
     * @param running the subscriptions that are to be moved; this one is one of them from start to stop
     */
    MovableSubscription(
            DelayQueueClient client,
            String topic,
            ConsumerOptions options,
            MessageHandler handler,
            Set<MovableSubscription> running) {
        this.topic = topic;
        this.options = options;
        this.handler = handler;
        this.running = running;
        this.current = client.subscribe(topic, options, handler);
    }

    /** Goes on with this client, in the same state. The former one's subscription is left to the end of that client. */
    void moveTo(DelayQueueClient client) {
        lock.lock();
        try {
            Subscription moved = client.subscribe(topic, options, handler);
            if (current.isPaused()) {
                moved.pause();
            }
            if (started) {
                moved.start();
            }
            current = moved;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public void start() {
        lock.lock();
        try {
            current.start();
            started = true;
            running.add(this);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void pause() {
        lock.lock();
        try {
            current.pause();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void resume() {
        lock.lock();
        try {
            current.resume();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean stop(Duration grace) {
        return ended().stop(grace);
    }

    @Override
    public void close() {
        ended().close();
    }

    /** The subscription to stop, which does not move any more. */
    private Subscription ended() {
        lock.lock();
        try {
            started = false;
            running.remove(this);
            return current;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isRunning() {
        return current.isRunning();
    }

    @Override
    public boolean isPaused() {
        return current.isPaused();
    }

    @Override
    public boolean isHealthy() {
        return current.isHealthy();
    }

    @Override
    public int inFlight() {
        return current.inFlight();
    }

    @Override
    public int abandonedHandlers() {
        return current.abandonedHandlers();
    }

    @Override
    public SubscriptionLoad load() {
        return current.load();
    }
}
