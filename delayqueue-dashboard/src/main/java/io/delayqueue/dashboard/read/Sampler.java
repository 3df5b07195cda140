package io.delayqueue.dashboard.read;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Samples all topics while somebody looks, and a while after. Thread-safe. */
final class Sampler implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Sampler.class);

    private final Supplier<Topics> read;
    private final Histories histories;
    private final Duration interval;
    private final Duration idle;
    private final ReentrantLock lock = new ReentrantLock();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "delayqueue-dashboard-sampler");
        thread.setDaemon(true);
        return thread;
    });
    private @Nullable ScheduledFuture<?> running;
    private long lookedNanos;
    private boolean failing;

    /**
     * A sampler that waits for somebody to look.
     *
     * @param read numbers of all topics; may wait
     * @param interval time between two samples
     * @param idle time without anybody looking after which it ends, and forgets
     */
    Sampler(Supplier<Topics> read, Histories histories, Duration interval, Duration idle) {
        this.read = read;
        this.histories = histories;
        this.interval = interval;
        this.idle = idle;
    }

    /** Somebody looks. */
    void look() {
        lock.lock();
        try {
            lookedNanos = System.nanoTime();
            if (running == null && !timer.isShutdown()) {
                running = timer.scheduleWithFixedDelay(this::sample, 0, interval.toMillis(), TimeUnit.MILLISECONDS);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether it samples. */
    boolean isRunning() {
        lock.lock();
        try {
            return running != null;
        } finally {
            lock.unlock();
        }
    }

    private void sample() {
        if (endIfIdle()) {
            return;
        }
        try {
            histories.add(read.get());
            failing = false;
        } catch (Throwable e) {
            // an Error, too: it would end the timer, and with it all later samples
            if (!failing) {
                log.warn("The dashboard's history of topics has a gap: their numbers can't be read", e);
            }
            failing = true;
        }
    }

    private boolean endIfIdle() {
        lock.lock();
        try {
            if (System.nanoTime() - lookedNanos < idle.toNanos()) {
                return false;
            }
            if (running != null) {
                running.cancel(false);
                running = null;
            }
            histories.clear();
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
