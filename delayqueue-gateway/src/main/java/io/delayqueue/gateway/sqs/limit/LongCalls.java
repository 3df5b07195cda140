package io.delayqueue.gateway.sqs.limit;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Calls that take as long as a queue has messages: on few threads of their own, so that they hold none of the container. None waits for a
 * thread. Safe for use by several threads.
 */
public final class LongCalls implements AutoCloseable {

    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor executor;
    private final CallerShares shares;
    private final Duration answered;

    /**
     * Threads that end when they are idle.
     *
     * @param name of the threads
     * @param max calls at once
     * @param answered time within which each call has an answer: one that takes longer goes on
     */
    public LongCalls(String name, int max, Duration answered) {
        this.answered = answered;
        this.shares = new CallerShares(max);
        AtomicInteger number = new AtomicInteger();
        this.executor =
                new ThreadPoolExecutor(0, max, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /**
     * Makes a call on another thread.
     *
     * @throws SqsException that the service is unavailable, if as many calls are under way already, or half as many of this caller;
     *     nothing was done
     */
    public <T> CompletableFuture<T> call(Caller caller, Supplier<T> call) {
        if (!shares.tryBegin(caller)) {
            throw new SqsException(
                    SqsError.SERVICE_UNAVAILABLE,
                    shares.most() + " such requests of the key " + caller.name()
                            + " are under way, its largest number; this one was not begun. Repeat it.");
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            executor.execute(() -> {
                try {
                    answer.complete(call.get());
                } catch (Throwable e) {
                    answer.completeExceptionally(e);
                } finally {
                    shares.end(caller);
                }
            });
        } catch (RejectedExecutionException e) {
            shares.end(caller);
            throw new SqsException(
                    SqsError.SERVICE_UNAVAILABLE,
                    "Too many such requests are under way; this one was not begun. Repeat it.");
        }
        answer.orTimeout(answered.toNanos(), TimeUnit.NANOSECONDS);
        return answer.handle((result, failure) -> {
            if (failure instanceof TimeoutException) {
                throw new SqsException(
                        SqsError.SERVICE_UNAVAILABLE,
                        "The request is still carried out after " + answered.toMillis() + " ms. Repeat it later.");
            }
            if (failure != null) {
                throw new CompletionException(failure);
            }
            return result;
        });
    }

    /** Begins no further call. */
    @Override
    public void close() {
        executor.shutdown();
    }
}
