package io.delayqueue.gateway.sqs.dead;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;

/**
 * Threads of waits for dead letters, or of moves: few, which may wait for Redis. Not a bean of the executor's type: Spring would use it.
 */
public final class DeadTimer implements DisposableBean {

    private static final int THREADS = 4;

    private final ScheduledThreadPoolExecutor executor;

    /** A timer whose threads have this name. */
    public DeadTimer(String name) {
        executor = new ScheduledThreadPoolExecutor(THREADS, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        // a machine that has no thread left refuses the timer, and not one of its tasks later
        executor.prestartCoreThread();
    }

    /** Runs a task later. False if the application stops. */
    boolean after(Duration delay, Runnable task) {
        try {
            executor.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        } catch (OutOfMemoryError noThread) {
            // the task was queued before: a thread that runs takes it
            return true;
        }
    }

    /** Runs no task any more; waits shortly for those that run. */
    @Override
    public void destroy() {
        executor.shutdownNow();
        try {
            executor.awaitTermination(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
