package io.delayqueue.gateway.sqs.dead;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;

/** Thread of waits for dead letters, and of moves, which may wait for Redis. Not a bean of the executor's type: Spring would use it. */
public final class DeadTimer implements DisposableBean {

    private final ScheduledThreadPoolExecutor executor;

    public DeadTimer() {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "delayqueue-sqs-dead");
            thread.setDaemon(true);
            return thread;
        });
        executor.setKeepAliveTime(10, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
    }

    /** Runs a task later. False if the application stops. */
    boolean after(Duration delay, Runnable task) {
        try {
            executor.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    @Override
    public void destroy() {
        executor.shutdownNow();
    }
}
