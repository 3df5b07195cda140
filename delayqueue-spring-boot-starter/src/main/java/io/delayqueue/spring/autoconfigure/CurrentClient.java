package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The client over the present Redis client of a connection factory. States: running → closed → running … While it runs, it notices that
 * the factory was restarted, creates another client, and moves running subscriptions to it. Thread-safe.
 */
final class CurrentClient {

    /** Interval at which the connection factory is looked at: consumers don't call this, so they would never notice. */
    private static final long WATCH_MS = 500;

    private static final Logger log = LoggerFactory.getLogger(CurrentClient.class);

    private final ClientsOfFactory clients;
    private final Set<MovableSubscription> subscriptions = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile DelayQueueClient current;
    private volatile boolean running = true;
    private ScheduledExecutorService watch;

    CurrentClient(ClientsOfFactory clients) {
        this.clients = clients;
        this.current = clients.create();
        this.watch = startWatch();
    }

    void start() {
        lock.lock();
        try {
            if (!running) {
                current = clients.create();
                subscriptions.forEach(subscription -> subscription.moveTo(current));
                running = true;
                watch = startWatch();
            }
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            running = false;
            watch.shutdownNow();
            current.close();
        } finally {
            lock.unlock();
        }
    }

    /** The client to call now. */
    DelayQueueClient get() {
        if (running && clients.wasRestarted()) {
            replace();
        }
        return current;
    }

    private void replace() {
        DelayQueueClient replaced;
        lock.lock();
        try {
            if (!running || !clients.wasRestarted()) {
                return;
            }
            replaced = current;
            current = clients.create();
            subscriptions.forEach(subscription -> subscription.moveTo(current));
        } finally {
            lock.unlock();
        }
        log.info("The connection factory was restarted: the delay queue uses its new Redis client");
        // waits for handlers, whose messages can't be acked any more and are delivered again after their leases
        threads("delayqueue-replaced-").newThread(replaced::close).start();
    }

    private ScheduledExecutorService startWatch() {
        ScheduledExecutorService started =
                Executors.newSingleThreadScheduledExecutor(threads("delayqueue-connection-watch-"));
        started.scheduleWithFixedDelay(this::look, WATCH_MS, WATCH_MS, TimeUnit.MILLISECONDS);
        return started;
    }

    private void look() {
        try {
            get();
        } catch (RuntimeException e) {
            log.warn("The connection factory was restarted, but its Redis client can't be used yet", e);
        }
    }

    private static ThreadFactory threads(String prefix) {
        CustomizableThreadFactory threads = new CustomizableThreadFactory(prefix);
        threads.setDaemon(true);
        return threads;
    }

    boolean isRunning() {
        return running;
    }

    /** Lifecycle phase: it starts after, and stops before, the factory. */
    int phase() {
        return clients.phase();
    }

    /** The subscriptions to move. */
    Set<MovableSubscription> subscriptions() {
        return subscriptions;
    }
}
