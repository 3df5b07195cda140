package io.delayqueue.gateway.sqs.limit;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Calls that take as long as a queue has messages: on few threads of their own, so that they hold none of the container. None waits for a
 * thread. A repeat of a call that is under way waits for that one: clients repeat calls that take long by themselves. Safe for use by
 * several threads.
 *
 * @param <T> type of the results
 */
public final class LongCalls<T> implements AutoCloseable {

    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor executor;
    private final CallerShares shares;
    private final Duration answered;
    private final Map<Operation, CompletableFuture<T>> underWay = new ConcurrentHashMap<>();

    /**
     * One caller's operation on a queue. A caller never waits for the call of another one, whose rights it may lack.
     *
     * @param caller name of the caller
     * @param name of the operation
     */
    private record Operation(String caller, String name) {}

    /**
     * Threads that end when they are idle.
     *
     * @param name of the threads
     * @param max calls at once
     * @param answered time within which each call has an answer: one that takes longer goes on
     */
    public LongCalls(String name, int max, Duration answered) {
        this(max, answered, threads(name));
    }

    LongCalls(int max, Duration answered, ThreadFactory threads) {
        this.answered = answered;
        this.shares = new CallerShares(max);
        this.executor =
                new ThreadPoolExecutor(0, max, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /**
     * Makes a call on another thread, unless the caller's call of the same operation is under way: then its result is that of this one.
     *
     * @param operation tells the call from others, by action and queue
     * @throws SqsException that the service is unavailable, if as many calls are under way already, or half as many of this caller;
     *     nothing was done
     */
    public CompletableFuture<T> call(Caller caller, String operation, Supplier<T> call) {
        Operation key = new Operation(caller.name(), operation);
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletableFuture<T> before = underWay.putIfAbsent(key, result);
        if (before != null) {
            return answer(before);
        }
        try {
            begin(caller, () -> run(key, call, result));
        } catch (Throwable e) {
            underWay.remove(key);
            // for a repeat that came meanwhile
            result.completeExceptionally(e);
            throw e;
        }
        return answer(result);
    }

    private void begin(Caller caller, Runnable task) {
        if (!shares.tryBegin(caller)) {
            throw new SqsException(
                    SqsError.SERVICE_UNAVAILABLE,
                    shares.most() + " such requests of the key " + caller.name()
                            + " are under way, the maximum; this one was not begun. Repeat it.");
        }
        try {
            executor.execute(() -> {
                try {
                    task.run();
                } finally {
                    shares.end(caller);
                }
            });
        } catch (RejectedExecutionException e) {
            shares.end(caller);
            throw new SqsException(
                    SqsError.SERVICE_UNAVAILABLE,
                    "Too many such requests are under way; this one was not begun. Repeat it.");
        } catch (Throwable e) {
            // the machine may have no thread left
            shares.end(caller);
            throw e;
        }
    }

    /** A call that comes after the answer is no repeat any more, so the operation ends first. */
    private void run(Operation key, Supplier<T> call, CompletableFuture<T> result) {
        T value;
        try {
            value = call.get();
        } catch (Throwable e) {
            underWay.remove(key);
            result.completeExceptionally(e);
            return;
        }
        underWay.remove(key);
        result.complete(value);
    }

    /** The result, if it comes in time. */
    private CompletableFuture<T> answer(CompletableFuture<T> result) {
        return result.copy().orTimeout(answered.toNanos(), TimeUnit.NANOSECONDS).handle((value, failure) -> {
            if (failure instanceof TimeoutException) {
                throw new SqsException(
                        SqsError.SERVICE_UNAVAILABLE,
                        "The request is still carried out after " + answered.toMillis() + " ms. Repeat it later.");
            }
            if (failure != null) {
                throw failure instanceof CompletionException e ? e : new CompletionException(failure);
            }
            return value;
        });
    }

    /** Begins no further call. */
    @Override
    public void close() {
        executor.shutdown();
    }
}
