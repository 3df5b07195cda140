package io.delayqueue.internal.engine.consume;

import io.delayqueue.MessageHandler;
import io.delayqueue.Subscription;
import io.delayqueue.SubscriptionLoad;
import io.delayqueue.internal.engine.dispatch.Dispatcher;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A user's subscription: starts and stops {@link SubscriptionRun}s, one after the other. Thread-safe. */
public final class TopicSubscription implements Subscription {

    private final ConsumerContext context;
    private final MessageHandler handler;
    private final Dispatcher dispatcher;
    private final Subscriptions subscriptions;
    private final ReentrantLock lifecycle = new ReentrantLock();
    private volatile @Nullable SubscriptionRun current;
    private volatile boolean paused;

    /** Is not started yet. */
    public TopicSubscription(
            ConsumerContext context, MessageHandler handler, Dispatcher dispatcher, Subscriptions subscriptions) {
        this.context = context;
        this.handler = handler;
        this.dispatcher = dispatcher;
        this.subscriptions = subscriptions;
    }

    @Override
    public String topic() {
        return context.topic();
    }

    @Override
    public void start() {
        lifecycle.lock();
        try {
            if (running() == null) {
                SubscriptionRun run = new SubscriptionRun(context, handler, dispatcher, subscriptions);
                run.partitions().pause(paused);
                subscriptions.add(run);
                run.start();
                current = run;
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
            SubscriptionRun run = running();
            if (run != null) {
                run.partitions().pause(pause);
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
            SubscriptionRun run = running();
            if (run == null) {
                return true;
            }
            boolean finished = StopSequence.stop(List.of(run), grace);
            subscriptions.remove(run);
            current = null;
            return finished;
        } finally {
            lifecycle.unlock();
        }
    }

    @Override
    public void close() {
        stop(context.client().options().shutdownTimeout());
    }

    /** The present run; null if there is none, or it was stopped with the client. */
    private @Nullable SubscriptionRun running() {
        SubscriptionRun run = current;
        return run == null || run.stopped().isDone() ? null : run;
    }

    @Override
    public boolean isRunning() {
        return running() != null;
    }

    @Override
    public boolean isPaused() {
        return paused;
    }

    @Override
    public boolean isHealthy() {
        SubscriptionRun run = running();
        return run == null || run.isHealthy();
    }

    @Override
    public int inFlight() {
        SubscriptionRun run = running();
        return run == null ? 0 : run.settlements().inFlight().size();
    }

    @Override
    public int abandonedHandlers() {
        SubscriptionRun run = running();
        return run == null ? 0 : run.slots().abandoned();
    }

    @Override
    public SubscriptionLoad load() {
        SubscriptionRun run = running();
        return run == null ? SubscriptionLoad.NONE : run.load();
    }
}
