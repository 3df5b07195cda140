package io.delayqueue.gateway.sqs.limit;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Calls that wait for Redis or a database, on threads of their own. Only some are made at once, so that a slow one leaves all threads of
 * the container to others. Safe for use by several threads.
 */
public final class BlockingCalls implements AutoCloseable {

    private static final long IDLE_SECONDS = 10;

    private final Semaphore free;
    private final CallerShares shares;
    private final ThreadPoolExecutor threads;

    /**
     * Threads that end when they are idle.
     *
     * @param name of the threads
     * @param max calls at once
     */
    public BlockingCalls(String name, int max) {
        free = new Semaphore(max);
        shares = new CallerShares(max);
        AtomicInteger number = new AtomicInteger();
        // a call has a thread, or that of one that ends now
        threads =
                new ThreadPoolExecutor(max, max, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Makes a call on another thread.
     *
     * @throws SqsException that the service is unavailable, if as many calls wait already, or half as many of this caller; nothing was
     *     done
     */
    public <T> CompletableFuture<T> call(Caller caller, Supplier<T> call) {
        if (!shares.tryBegin(caller)) {
            throw new SqsException(
                    SqsError.SERVICE_UNAVAILABLE,
                    shares.most() + " requests of the key " + caller.name()
                            + " wait already, the maximum; this one was not begun. Repeat it.");
        }
        if (!free.tryAcquire()) {
            shares.end(caller);
            throw new SqsException(
                    SqsError.SERVICE_UNAVAILABLE, "Too many requests wait already; this one was not begun. Repeat it.");
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            threads.execute(() -> run(caller, call, result));
        } catch (Throwable e) {
            // the application stops, or the machine has no thread left
            end(caller);
            throw e;
        }
        return result;
    }

    /** The next call of a client that has its answer is not refused: the call ends before its result is there. */
    private <T> void run(Caller caller, Supplier<T> call, CompletableFuture<T> result) {
        T value;
        try {
            value = call.get();
        } catch (Throwable e) {
            end(caller);
            result.completeExceptionally(e);
            return;
        }
        end(caller);
        result.complete(value);
    }

    private void end(Caller caller) {
        free.release();
        shares.end(caller);
    }

    /** Begins no further call. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
