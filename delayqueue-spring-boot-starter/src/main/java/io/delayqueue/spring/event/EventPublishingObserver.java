package io.delayqueue.spring.event;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import java.time.Duration;
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
 * Publishes application events in order, on a thread of its own, so that a slow event listener does not block Redis' I/O
 * threads. Best effort: at most {@value #MAX_QUEUED_EVENTS} events are queued; further ones are dropped, counted, and logged at most
 * once a minute.
 */
public final class EventPublishingObserver implements DelayQueueObserver, DisposableBean {

    /** Maximum number of queued events: a burst fits, and memory stays bounded if event listeners hang. */
    public static final int MAX_QUEUED_EVENTS = 1_000;

    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);

    private static final Logger log = LoggerFactory.getLogger(EventPublishingObserver.class);

    private final ApplicationEventPublisher publisher;
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong loggedAt = new AtomicLong(System.nanoTime() - LOG_INTERVAL.toNanos());
    private final ThreadPoolExecutor executor;

    /** An observer that publishes to this publisher. */
    public EventPublishingObserver(ApplicationEventPublisher publisher) {
        this.publisher = publisher;
        CustomizableThreadFactory threads = new CustomizableThreadFactory("delayqueue-events-");
        threads.setDaemon(true);
        this.executor = new ThreadPoolExecutor(
                1, 1, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_QUEUED_EVENTS), threads);
        this.executor.allowCoreThreadTimeOut(true);
    }

    /** Number of events dropped so far because event listeners were too slow. */
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

    /** Waits up to two seconds for queued events to be published. */
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
            drop(event);
        }
    }

    private void drop(Object event) {
        long soFar = dropped.incrementAndGet();
        long now = System.nanoTime();
        long before = loggedAt.get();
        if (executor.isShutdown() || now - before < LOG_INTERVAL.toNanos() || !loggedAt.compareAndSet(before, now)) {
            return;
        }
        log.warn(
                "Event listeners are too slow: {} events are queued, and {} were dropped so far, the last one {}",
                MAX_QUEUED_EVENTS,
                soFar,
                event);
    }

    private void publishNow(Object event) {
        try {
            publisher.publishEvent(event);
        } catch (RuntimeException e) {
            log.warn("An event listener failed on {}", event, e);
        }
    }
}
