package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells several observers; one that throws does not keep the others from being told. */
final class ObserverChain implements DelayQueueObserver {

    private final List<DelayQueueObserver> observers;

    ObserverChain(List<DelayQueueObserver> observers) {
        this.observers = List.copyOf(observers);
    }

    @Override
    public void accepted(String topic, int count) {
        tell(observer -> observer.accepted(topic, count));
    }

    @Override
    public void cancelled(String topic, String id) {
        tell(observer -> observer.cancelled(topic, id));
    }

    @Override
    public void delivered(ReceivedMessage message, Duration lag) {
        tell(observer -> observer.delivered(message, lag));
    }

    @Override
    public void handled(ReceivedMessage message, Duration duration, @Nullable Throwable error) {
        tell(observer -> observer.handled(message, duration, error));
    }

    @Override
    public void acked(ReceivedMessage message) {
        tell(observer -> observer.acked(message));
    }

    @Override
    public void retried(ReceivedMessage message, Duration delay, @Nullable Throwable error) {
        tell(observer -> observer.retried(message, delay, error));
    }

    @Override
    public void deadLettered(String topic, String id, int attempts, String error) {
        tell(observer -> observer.deadLettered(topic, id, attempts, error));
    }

    @Override
    public void expired(String topic, String id) {
        tell(observer -> observer.expired(topic, id));
    }

    @Override
    public void leaseExpired(String topic, String id) {
        tell(observer -> observer.leaseExpired(topic, id));
    }

    @Override
    public void leaseLost(ReceivedMessage message) {
        tell(observer -> observer.leaseLost(message));
    }

    @Override
    public void orphaned(String topic, long count) {
        tell(observer -> observer.orphaned(topic, count));
    }

    @Override
    public void deferredToNewerVersion(String topic, long count) {
        tell(observer -> observer.deferredToNewerVersion(topic, count));
    }

    @Override
    public void redisCall(String script, Duration duration, @Nullable Throwable error) {
        tell(observer -> observer.redisCall(script, duration, error));
    }

    /** The core logs what is thrown, so the first exception is passed on once all have been told. */
    private void tell(Consumer<DelayQueueObserver> event) {
        RuntimeException first = null;
        for (DelayQueueObserver observer : observers) {
            try {
                event.accept(observer);
            } catch (RuntimeException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
