package io.delayqueue.gateway.callback;

import io.delayqueue.gateway.redis.UnansweredCommands;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;

/**
 * Makes the callbacks' own commands within a time: a caller holds a handler slot, and the timeout of Spring's connection may be a minute.
 * Thread-safe.
 */
final class RedisCalls {

    private static final int THREADS = 4;

    /** Commands that wait for a thread. More fail at once: Redis is unavailable then. */
    private static final int MOST_WAITING = 1_000;

    private final ThreadPoolExecutor executor;
    private final Duration timeout;
    private final UnansweredCommands unanswered;

    /**
     * Makes no call yet.
     *
     * @param timeout of each call, its wait for a thread included
     * @param unanswered is told of each call
     */
    RedisCalls(Duration timeout, UnansweredCommands unanswered) {
        this.timeout = timeout;
        this.unanswered = unanswered;
        this.executor = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MOST_WAITING),
                CallbackThreads.daemons("delayqueue-callback-redis-"));
        executor.allowCoreThreadTimeOut(true);
    }

    /**
     * Makes a call, and waits for its result.
     *
     * @throws DataAccessException if it fails, does not end in time, or too many others wait
     */
    <T extends @Nullable Object> T call(Callable<T> command) {
        Future<T> call;
        try {
            call = executor.submit(command);
        } catch (RejectedExecutionException e) {
            throw new TransientDataAccessResourceException(MOST_WAITING + " commands wait for Redis", e);
        }
        try {
            T result = call.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            unanswered.ended(null);
            return result;
        } catch (TimeoutException e) {
            // frees the thread: it waits for an answer
            call.cancel(true);
            unanswered.ended(e);
            throw new QueryTimeoutException("Redis did not answer within " + timeout, e);
        } catch (InterruptedException e) {
            call.cancel(true);
            Thread.currentThread().interrupt();
            throw new QueryTimeoutException("interrupted", e);
        } catch (ExecutionException e) {
            unanswered.ended(e.getCause());
            if (e.getCause() instanceof DataAccessException failure) {
                throw failure;
            }
            throw new DataAccessResourceFailureException("Redis could not be asked", e.getCause());
        }
    }
}
