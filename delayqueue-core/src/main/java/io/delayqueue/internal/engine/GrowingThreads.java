package io.delayqueue.internal.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A few daemon threads, and more while all of them block: a task may wait for one that waits for a thread. Idle threads end.
 * Thread-safe.
 */
final class GrowingThreads implements Executor, AutoCloseable {

    /** Enough for tasks that don't block; as many are added at a time. */
    private static final int USUAL_THREADS = 8;

    /** Bounds the memory of their stacks, and is far more than a program lets block by intention. */
    static final int MAX_THREADS = 128;

    /** Longer than tasks take that don't block. */
    private static final long STUCK_MILLIS = 10;

    private static final long KEEP_ALIVE_SECONDS = 10;

    private final ThreadPoolExecutor threads;
    private final AtomicInteger unfinished = new AtomicInteger();
    private final AtomicLong begun = new AtomicLong();
    private final AtomicBoolean watched = new AtomicBoolean();

    /** Has no thread yet. */
    GrowingThreads(String namePrefix) {
        AtomicLong number = new AtomicLong();
        ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
        this.threads = new ThreadPoolExecutor(
                USUAL_THREADS, MAX_THREADS, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Member(this, work, namePrefix + number.incrementAndGet());
                    thread.setDaemon(true);
                    thread.setContextClassLoader(classLoader);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** Runs a task as soon as a thread is free. */
    @Override
    public void execute(Runnable task) {
        Runnable counted = () -> {
            begun.incrementAndGet();
            try {
                task.run();
            } finally {
                unfinished.decrementAndGet();
            }
        };
        boolean mayWait = unfinished.incrementAndGet() > USUAL_THREADS;
        threads.execute(counted);
        if (mayWait) {
            watch();
        }
    }

    /** Whether the caller runs on one of these threads. */
    boolean includeCaller() {
        return Thread.currentThread() instanceof Member thread && thread.owner == this;
    }

    /** Whether as many tasks run as there may be threads. */
    boolean areAllTaken() {
        return threads.getPoolSize() == MAX_THREADS && threads.getActiveCount() == MAX_THREADS;
    }

    private void watch() {
        if (watched.compareAndSet(false, true)) {
            lookLater();
        }
    }

    /** Not by the client's timer: threads must also be added for the futures that its close completes. */
    private void lookLater() {
        long seen = begun.get();
        CompletableFuture.delayedExecutor(STUCK_MILLIS, TimeUnit.MILLISECONDS, Runnable::run)
                .execute(() -> look(seen));
    }

    /** Adds threads if no task began since the last look. */
    private void look(long seen) {
        if (!threads.getQueue().isEmpty()) {
            boolean stuck = begun.get() == seen;
            lookLater();
            if (stuck) {
                threads.setCorePoolSize(Math.min(threads.getPoolSize() + USUAL_THREADS, MAX_THREADS));
            }
            return;
        }
        // the others end once they are idle
        threads.setCorePoolSize(USUAL_THREADS);
        watched.set(false);
        if (!threads.getQueue().isEmpty()) {
            // came meanwhile
            watch();
        }
    }

    /** Lets threads end as soon as they are idle. A task that comes later has one, since its caller must not run foreign code. */
    @Override
    public void close() {
        threads.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
    }

    private static final class Member extends Thread {

        private final GrowingThreads owner;

        Member(GrowingThreads owner, Runnable work, String name) {
            super(work, name);
            this.owner = owner;
        }
    }
}
