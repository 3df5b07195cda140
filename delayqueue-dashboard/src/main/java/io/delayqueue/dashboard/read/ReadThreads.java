package io.delayqueue.dashboard.read;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A few threads that wait for Redis and end when idle. The number of reads that wait for a thread is bounded. */
final class ReadThreads {

    private static final int IDLE_SECONDS = 30;

    private ReadThreads() {}

    static ThreadPoolExecutor of(String name, int threads, int maxWaiting) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(maxWaiting), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }
}
