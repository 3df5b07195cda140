package io.delayqueue.spring.event;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Publishes application events on a thread of its own, in order, so that a slow event listener does not hold up Redis'
 * thread. At most {@value #MOST_WAITING} wait; further ones are dropped, counted, and the first one logged.
 */
public final class EventPublishingObserver implements DelayQueueObserver, DisposableBean {

    /** Events that may wait for the listeners. */
    public static final int MOST_WAITING = 1_000;

    private static final Logger log = LoggerFactory.getLogger(EventPublishingObserver.class);

    private final ApplicationEventPublisher publisher;
    private final AtomicLong dropped = new AtomicLong();
    private final ThreadPoolExecutor executor;

    /** An observer that publishes here. */
    public EventPublishingObserver(ApplicationEventPublisher publisher) {
        this.publisher = publisher;
        CustomizableThreadFactory threads = new CustomizableThreadFactory("delayqueue-events-");
        threads.setDaemon(true);
        this.executor =
                new ThreadPoolExecutor(1, 1, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_WAITING), threads);
        this.executor.allowCoreThreadTimeOut(true);
    }

    /** Events dropped so far because listeners were too slow. */
    public long dropped() {
        return dropped.get();
    }

    @Override
    public void deadLettered(String topic, String id, int attempts, String error) {
        publish(new MessageDeadLetteredEvent(topic, id, attempts, error));
    }

    @Override
    public void expired(String topic, String id) {
        publish(new MessageExpiredEvent(topic, id));
    }

    @Override
    public void leaseLost(ReceivedMessage message) {
        publish(new LeaseLostEvent(message.topic(), message.id(), message.attempt()));
    }

    /** Lets the listeners have a moment to take what is waiting. */
    @Override
    public void destroy() throws InterruptedException {
        executor.shutdown();
        if (!executor.awaitTermination(2, TimeUnit.SECONDS)) {
            executor.shutdownNow();
        }
    }

    private void publish(Object event) {
        try {
            executor.execute(() -> publishNow(event));
        } catch (RejectedExecutionException e) {
            if (dropped.getAndIncrement() == 0 && !executor.isShutdown()) {
                log.warn(
                        "Event listeners are too slow: {} events are waiting, further ones are dropped, such as {}",
                        MOST_WAITING,
                        event);
            }
        }
    }

    private void publishNow(Object event) {
        try {
            publisher.publishEvent(event);
        } catch (RuntimeException e) {
            log.warn("A listener failed on {}", event, e);
        }
    }
}
