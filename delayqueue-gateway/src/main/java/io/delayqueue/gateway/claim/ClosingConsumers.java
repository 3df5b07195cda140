package io.delayqueue.gateway.claim;

import io.delayqueue.PullConsumer;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes pull consumers on few threads of its own. While Redis is silent, each close waits for a second or more, and the thread that finds
 * a consumer unused renews the messages of others, or belongs to the container. The threads end when they are idle. Safe for use by
 * several threads.
 */
public final class ClosingConsumers {

    private static final Logger log = LoggerFactory.getLogger(ClosingConsumers.class);

    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 10;

    /** Each holds memory until it is closed, and clients may go on to open others meanwhile. */
    static final int MAX_WAITING = 1_000;

    private final Semaphore permits = new Semaphore(MAX_WAITING);
    private final AtomicInteger count = new AtomicInteger();
    private final ThreadPoolExecutor threads;

    /** Closes nothing yet. */
    public ClosingConsumers() {
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "delayqueue-gateway-closing-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** Has a consumer closed, and does not wait for that. False if too many wait to be closed: then it stays open. */
    boolean tryClose(PullConsumer consumer) {
        if (!permits.tryAcquire()) {
            return false;
        }
        begin(consumer, permits::release);
        return true;
    }

    /** Has a consumer closed, however many wait for that. */
    void close(PullConsumer consumer) {
        begin(consumer, () -> {});
    }

    private void begin(PullConsumer consumer, Runnable onEnd) {
        count.incrementAndGet();
        Runnable task = () -> {
            try {
                consumer.close();
            } catch (RuntimeException e) {
                log.debug("A pull consumer of topic '{}' could not be closed", consumer.topic(), e);
            } finally {
                count.decrementAndGet();
                onEnd.run();
            }
        };
        try {
            threads.execute(task);
        } catch (OutOfMemoryError noThread) {
            // the machine has no thread left: one of those that run takes it, or one that a later close begins
            threads.getQueue().add(task);
        }
    }

    /** Consumers that are being closed, or wait for that. */
    int count() {
        return count.get();
    }
}
