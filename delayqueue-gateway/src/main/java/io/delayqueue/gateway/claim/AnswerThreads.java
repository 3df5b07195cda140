package io.delayqueue.gateway.claim;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that renew and release the messages of answers. The JDK's common pool may be busy with tasks of the application, and a lease
 * that ends meanwhile counts an attempt. Two serve all answers, since their tasks wait for nothing. An idle one ends.
 */
public final class AnswerThreads {

    private static final int THREADS = 2;
    private static final long IDLE_SECONDS = 10;
    private static final Executor EXECUTOR = threads();

    private AnswerThreads() {}

    /** Runs tasks that wait for nothing. */
    public static Executor executor() {
        return EXECUTOR;
    }

    private static Executor threads() {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "delayqueue-gateway-answers-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }
}
