package io.delayqueue.gateway.http.request;

import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads of their own for calls that wait for a server, so that a slow one holds up no other requests. A call gets an answer within a
 * time, also if its server does not answer, and only some may wait for a thread. Safe for use by many threads.
 */
public final class BoundedCalls implements AutoCloseable {

    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor executor;
    private final Duration timeout;
    private final ProblemType late;

    /**
     * Threads that end when they are idle.
     *
     * @param name of the threads
     * @param threads calls at the same time
     * @param mostWaiting calls that may wait for a thread
     * @param timeout of each call, its wait included
     * @param late the problem of a call that takes longer
     */
    public BoundedCalls(String name, int threads, int mostWaiting, Duration timeout, ProblemType late) {
        this.timeout = timeout;
        this.late = late;
        AtomicInteger number = new AtomicInteger();
        executor = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(mostWaiting), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
    }

    /**
     * Makes a call on another thread. The future fails with a {@link ProblemException} if it is late; then the call is not made if it has
     * not begun, and the problem tells whether it has.
     *
     * @throws ProblemException if too many others wait
     */
    public <T> CompletableFuture<T> call(Callable<T> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        AtomicBoolean waits = new AtomicBoolean(true);
        Future<?> task;
        try {
            task = executor.submit(() -> {
                if (waits.compareAndSet(true, false)) {
                    run(call, answer);
                }
            });
        } catch (RejectedExecutionException e) {
            throw executor.isShutdown()
                    ? new ProblemException(ProblemType.STOPPING, "nothing was done")
                    : new ProblemException(
                            ProblemType.OVERLOADED, "too many requests of this kind wait; nothing was done");
        }
        answer.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS);
        return answer.handle((result, failure) -> {
            if (failure instanceof TimeoutException) {
                // not interrupted: some databases close their files then
                task.cancel(false);
                executor.purge();
                String outcome = waits.compareAndSet(true, false)
                        ? " s: too many others wait; nothing was done"
                        : " s; the request may have been carried out";
                throw new ProblemException(late, "no answer came within " + timeout.toSeconds() + outcome);
            }
            if (failure != null) {
                throw new CompletionException(failure);
            }
            return result;
        });
    }

    private static <T> void run(Callable<T> call, CompletableFuture<T> answer) {
        try {
            answer.complete(call.call());
        } catch (Throwable e) {
            answer.completeExceptionally(e);
        }
    }

    /** Ends when the calls have ended that wait now. */
    @Override
    public void close() {
        executor.shutdown();
    }
}
