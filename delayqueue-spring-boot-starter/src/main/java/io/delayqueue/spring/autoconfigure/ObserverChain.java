package io.delayqueue.spring.autoconfigure;

import io.delayqueue.Delay;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.MessageState;
import io.delayqueue.PartitionMark;
import io.delayqueue.ReceivedMessage;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Notifies several observers, even if one of them throws. */
final class ObserverChain implements DelayQueueObserver {

    private final List<DelayQueueObserver> observers;

    ObserverChain(List<DelayQueueObserver> observers) {
        this.observers = List.copyOf(observers);
    }

    @Override
    public void accepted(String topic, int count) {
        notifyEach(observer -> observer.accepted(topic, count));
    }

    @Override
    public void duplicateRejected(String topic, String id, MessageState existing) {
        notifyEach(observer -> observer.duplicateRejected(topic, id, existing));
    }

    @Override
    public void cancelled(String topic, String id) {
        notifyEach(observer -> observer.cancelled(topic, id));
    }

    @Override
    public void cancelled(String topic, String id, Duration ago) {
        notifyEach(observer -> observer.cancelled(topic, id, ago));
    }

    @Override
    public void rescheduled(String topic, String id, Delay delay) {
        notifyEach(observer -> observer.rescheduled(topic, id, delay));
    }

    @Override
    public void rescheduled(String topic, String id, Delay delay, Duration ago) {
        notifyEach(observer -> observer.rescheduled(topic, id, delay, ago));
    }

    @Override
    public void claimed(String topic, int count) {
        notifyEach(observer -> observer.claimed(topic, count));
    }

    @Override
    public void delivered(ReceivedMessage message, Duration lag) {
        notifyEach(observer -> observer.delivered(message, lag));
    }

    @Override
    public void pulled(ReceivedMessage message, Duration lag) {
        notifyEach(observer -> observer.pulled(message, lag));
    }

    @Override
    public void handled(ReceivedMessage message, Duration duration, @Nullable Throwable error) {
        notifyEach(observer -> observer.handled(message, duration, error));
    }

    @Override
    public void acked(ReceivedMessage message) {
        notifyEach(observer -> observer.acked(message));
    }

    @Override
    public void marked(PartitionMark mark) {
        notifyEach(observer -> observer.marked(mark));
    }

    @Override
    public void retried(ReceivedMessage message, Duration delay, @Nullable Throwable error) {
        notifyEach(observer -> observer.retried(message, delay, error));
    }

    @Override
    public void retriedByReceipt(ReceivedMessage message, Duration delay, String reason) {
        notifyEach(observer -> observer.retriedByReceipt(message, delay, reason));
    }

    @Override
    public void postponed(ReceivedMessage message, Duration delay) {
        notifyEach(observer -> observer.postponed(message, delay));
    }

    @Override
    public void released(ReceivedMessage message) {
        notifyEach(observer -> observer.released(message));
    }

    @Override
    public void releasedByReceipt(ReceivedMessage message) {
        notifyEach(observer -> observer.releasedByReceipt(message));
    }

    @Override
    public void deadLettered(String topic, String id, int attempts, String error) {
        notifyEach(observer -> observer.deadLettered(topic, id, attempts, error));
    }

    @Override
    public void deadLettered(String topic, String id, @Nullable String generation, int attempts, String error) {
        notifyEach(observer -> observer.deadLettered(topic, id, generation, attempts, error));
    }

    @Override
    public void deadLettered(String topic, String id, int attempts, String error, Duration ago) {
        notifyEach(observer -> observer.deadLettered(topic, id, attempts, error, ago));
    }

    @Override
    public void redriven(String topic, List<String> ids, Delay first, Duration between) {
        notifyEach(observer -> observer.redriven(topic, ids, first, between));
    }

    @Override
    public void redriven(String topic, List<String> ids, Delay first, Duration between, Duration ago) {
        notifyEach(observer -> observer.redriven(topic, ids, first, between, ago));
    }

    @Override
    public void purged(String topic, List<String> ids) {
        notifyEach(observer -> observer.purged(topic, ids));
    }

    @Override
    public void purged(String topic, List<String> ids, Duration ago) {
        notifyEach(observer -> observer.purged(topic, ids, ago));
    }

    /** The first one that refuses ends it: the others need not prepare for it. */
    @Override
    public void topicDeleting(String topic) {
        observers.forEach(observer -> observer.topicDeleting(topic));
    }

    @Override
    public void topicDeleted(String topic) {
        notifyEach(observer -> observer.topicDeleted(topic));
    }

    @Override
    public void topicDeleted(String topic, Duration ago) {
        notifyEach(observer -> observer.topicDeleted(topic, ago));
    }

    @Override
    public void expired(String topic, String id) {
        notifyEach(observer -> observer.expired(topic, id));
    }

    @Override
    public void expired(String topic, String id, Duration ago) {
        notifyEach(observer -> observer.expired(topic, id, ago));
    }

    @Override
    public void leaseExpired(String topic, String id) {
        notifyEach(observer -> observer.leaseExpired(topic, id));
    }

    @Override
    public void leaseExpired(String topic, String id, Duration ago) {
        notifyEach(observer -> observer.leaseExpired(topic, id, ago));
    }

    @Override
    public void leaseLost(ReceivedMessage message) {
        notifyEach(observer -> observer.leaseLost(message));
    }

    @Override
    public void orphaned(String topic, long count) {
        notifyEach(observer -> observer.orphaned(topic, count));
    }

    @Override
    public void deferredToNewerVersion(String topic, long count) {
        notifyEach(observer -> observer.deferredToNewerVersion(topic, count));
    }

    @Override
    public void redisCall(String script, Duration duration, @Nullable Throwable error) {
        notifyEach(observer -> observer.redisCall(script, duration, error));
    }

    /** Throws the first exception once all observers were notified; the core logs it. */
    private void notifyEach(Consumer<DelayQueueObserver> event) {
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
