package io.delayqueue.internal.engine;

import io.delayqueue.Subscription;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A subscription: starts and stops {@link SubscriptionRun}s, one after the other. */
final class TopicSubscription implements Subscription {

    private final ConsumerContext context;
    private final Subscriptions running;
    private final ReentrantLock lifecycle = new ReentrantLock();
    private volatile @Nullable SubscriptionRun current;
    private volatile boolean paused;

    TopicSubscription(ConsumerContext context, Subscriptions running) {
        this.context = context;
        this.running = running;
    }

    @Override
    public String topic() {
        return context.topic();
    }

    @Override
    public void start() {
        lifecycle.lock();
        try {
            if (current == null) {
                running.add(this);
                SubscriptionRun started = new SubscriptionRun(context);
                started.pause(paused);
                started.start();
                current = started;
            }
        } finally {
            lifecycle.unlock();
        }
    }

    @Override
    public void pause() {
        setPaused(true);
    }

    @Override
    public void resume() {
        setPaused(false);
    }

    private void setPaused(boolean pause) {
        lifecycle.lock();
        try {
            paused = pause;
            SubscriptionRun consumption = current;
            if (consumption != null) {
                consumption.pause(pause);
            }
        } finally {
            lifecycle.unlock();
        }
    }

    @Override
    public boolean stop(Duration grace) {
        if (grace.isNegative()) {
            throw new IllegalArgumentException("grace must not be negative, but is " + grace);
        }
        lifecycle.lock();
        try {
            SubscriptionRun consumption = current;
            if (consumption == null) {
                return true;
            }
            boolean finished = consumption.stop(grace);
            current = null;
            running.remove(this);
            return finished;
        } finally {
            lifecycle.unlock();
        }
    }

    /** Something may be due that soon. */
    void wakeUp(long waitMicros) {
        SubscriptionRun consumption = current;
        if (consumption != null) {
            consumption.wakeUp(waitMicros);
        }
    }

    @Override
    public boolean isRunning() {
        return current != null;
    }

    @Override
    public boolean isPaused() {
        return paused;
    }

    @Override
    public boolean isHealthy() {
        SubscriptionRun consumption = current;
        return consumption == null || consumption.isHealthy();
    }

    @Override
    public int inFlight() {
        SubscriptionRun consumption = current;
        return consumption == null ? 0 : consumption.inFlight();
    }
}
