package io.delayqueue.internal.engine.dispatch;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker threads that all subscriptions of a client share. A worker goes from message to message; another one is called while
 * a message waits and a handler slot of its subscription is free. So there are as many workers as slots in use, and handlers that
 * block hold up no other subscription. Thread-safe.
 */
final class HandlerPool implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    /** An idle worker ends after this time. */
    private static final long KEEP_ALIVE_SECONDS = 10;

    /** Pause before another attempt to start a worker: one at once would most likely fail, too. */
    private static final long NO_WORKER_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();
    /** Subscriptions with a ready message and a free slot, in turn. */
    private final LinkedHashSet<HandlerSlots> runnable = new LinkedHashSet<>();

    private final ScheduledExecutorService timer;
    private final ThreadPoolExecutor workers;
    private boolean workerComing;

    /** @param threadFactory makes the workers; null for daemon threads with the class loader of the current thread */
    HandlerPool(ScheduledExecutorService timer, @Nullable ThreadFactory threadFactory) {
        this.timer = timer;
        this.workers = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                KEEP_ALIVE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                threadFactory != null ? threadFactory : daemons());
    }

    private static ThreadFactory daemons() {
        AtomicLong number = new AtomicLong();
        // a new thread has the one of the thread that happens to call it, which may be a thread of Redis' client
        ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
        return work -> {
            Thread thread = new Thread(work, "delayqueue-worker-" + number.incrementAndGet());
            thread.setDaemon(true);
            thread.setContextClassLoader(classLoader);
            return thread;
        };
    }

    /** Guards the state of the pool and of all its slots. */
    ReentrantLock lock() {
        return lock;
    }

    /** Queues a subscription if it has work for a worker. Call it under the lock. */
    void offer(HandlerSlots slots) {
        if (slots.canRun()) {
            runnable.add(slots);
        }
    }

    /** Removes a subscription. Call it under the lock. */
    void remove(HandlerSlots slots) {
        runnable.remove(slots);
    }

    /**
     * Returns true if the caller has to {@link #callWorkerIf} next, without the lock: one worker is called at a time. Call this under the
     * lock.
     */
    boolean claimWorkerCall() {
        if (workerComing || runnable.isEmpty()) {
            return false;
        }
        workerComing = true;
        return true;
    }

    void callWorkerIf(boolean claimed) {
        if (claimed) {
            try {
                workers.execute(this::work);
            } catch (Throwable e) {
                noWorker(e);
            }
        }
    }

    /**
     * Runs a task that calls the user's code, on a worker of its own: the caller's thread has other subscriptions to serve. It waits
     * while no worker can be started, and is dropped if the pool is closed.
     */
    void execute(Runnable task) {
        try {
            workers.execute(task);
        } catch (Throwable e) {
            if (!workers.isShutdown()) {
                executeLater(task);
            }
        }
    }

    private void executeLater(Runnable task) {
        try {
            timer.schedule(() -> execute(task), NO_WORKER_RETRY_NANOS, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            log.debug("the pool is closed, and a task dropped");
        }
    }

    private void work() {
        try {
            for (HandlerSlot slot = next(true); slot != null; slot = next(false)) {
                slot.run();
            }
        } catch (Throwable e) {
            // such as from a logger: this worker ends, and must not take the turn of the others with it
            callAnotherWorker();
            throw e;
        }
    }

    private void callAnotherWorker() {
        boolean claimed;
        lock.lock();
        try {
            claimed = claimWorkerCall();
        } finally {
            lock.unlock();
        }
        callWorkerIf(claimed);
    }

    /** @param arriving whether this worker was called and has not looked yet */
    private @Nullable HandlerSlot next(boolean arriving) {
        HandlerSlot next = null;
        boolean callsAnother;
        lock.lock();
        try {
            workerComing &= !arriving;
            while (next == null && !runnable.isEmpty()) {
                HandlerSlots slots = runnable.iterator().next();
                runnable.remove(slots);
                next = slots.take();
                offer(slots);
            }
            // before this worker is busy: messages that are due together run together
            callsAnother = next != null && claimWorkerCall();
        } finally {
            lock.unlock();
        }
        callWorkerIf(callsAnother);
        return next;
    }

    /** Gives up the messages that relied on a worker which could not be started. */
    private void noWorker(Throwable reason) {
        List<HandlerSlots> stranded;
        lock.lock();
        try {
            workerComing = false;
            stranded = new ArrayList<>(runnable);
            runnable.clear();
        } finally {
            lock.unlock();
        }
        stranded.forEach(slots -> slots.giveUpReady(reason));
    }

    /** Takes no more work; workers end when their handlers do. */
    @Override
    public void close() {
        workers.shutdown();
    }
}
