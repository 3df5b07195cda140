package io.delayqueue.gateway.callback;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Daemon threads for tasks that wait for Redis; idle ones end. Thread-safe. */
final class CallbackThreads implements Executor {

    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor executor;

    CallbackThreads() {
        // its queue has no bound of its own: there is a task for each call at most
        executor = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                daemons("delayqueue-callback-"));
        executor.allowCoreThreadTimeOut(true);
    }

    /** Makes threads that do not keep the process alive. */
    static ThreadFactory daemons(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }

    /** Keeps the process alive until the result is closed: all other threads are daemons, and without a web server it would end. */
    static AutoCloseable keepAlive() {
        CountDownLatch closed = new CountDownLatch(1);
        Thread thread = new Thread(
                () -> {
                    while (closed.getCount() > 0) {
                        try {
                            closed.await();
                        } catch (InterruptedException e) {
                            // not the end of the application
                        }
                    }
                },
                "delayqueue-callbacks-keep-alive");
        thread.setDaemon(false);
        thread.start();
        return closed::countDown;
    }
}
