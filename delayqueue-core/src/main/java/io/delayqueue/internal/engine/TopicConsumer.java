package io.delayqueue.internal.engine;

import io.delayqueue.Subscription;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A subscription: starts and stops {@link Consumption}s, one after the other. */
final class TopicConsumer implements Subscription {

    private final ConsumerContext context;
    private final Consumers running;
    private final ReentrantLock lifecycle = new ReentrantLock();
    private volatile @Nullable Consumption current;
    private volatile boolean paused;

    TopicConsumer(ConsumerContext context, Consumers running) {
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
                Consumption started = new Consumption(context);
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
            Consumption consumption = current;
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
            Consumption consumption = current;
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
        Consumption consumption = current;
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
        Consumption consumption = current;
        return consumption == null || consumption.isHealthy();
    }

    @Override
    public int inFlight() {
        Consumption consumption = current;
        return consumption == null ? 0 : consumption.inFlight();
    }
}
