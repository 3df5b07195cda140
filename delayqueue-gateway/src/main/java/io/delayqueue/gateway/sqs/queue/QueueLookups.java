package io.delayqueue.gateway.sqs.queue;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Finds queues. One whose settings were read a moment ago is found at once. Others are read by few threads of their own, each name once for
 * all requests that ask for it, so that a silent Redis holds no thread of the container. Safe for use by several threads.
 */
public final class QueueLookups implements AutoCloseable {

    private static final int THREADS = 16;

    /** They go on with the requests whose queues have former settings, which wait for nothing mostly. */
    private static final int FORMER_THREADS = 4;

    /** Names that wait for a thread. */
    private static final int MAX_WAITING = 1_000;

    private static final long IDLE_SECONDS = 10;

    private final Queues queues;
    private final Duration timeout;
    private final CallerShares shares = new CallerShares(MAX_WAITING);
    private final ThreadPoolExecutor threads = threads("delayqueue-sqs-queues-", THREADS);

    /** The others may all wait for a silent Redis, and a timer of the JDK serves the whole process. */
    private final ThreadPoolExecutor formerThreads = threads("delayqueue-sqs-former-", FORMER_THREADS);

    private final Map<String, CompletableFuture<Queue>> underWay = new ConcurrentHashMap<>();

    /**
     * Threads that end when they are idle.
     *
     * @param timeout of each lookup, its wait for a thread included. Then former settings count, if there are some
     */
    public QueueLookups(Queues queues, Duration timeout) {
        this.queues = queues;
        this.timeout = timeout;
    }

    private static ThreadPoolExecutor threads(String name, int count) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                count, count, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_WAITING), task -> {
                    Thread thread = new Thread(task, name + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /**
     * Finds a queue for a caller.
     *
     * @param name of the queue; null if the request has none
     * @return fails with SQS' error if there is no such queue, or Redis does not answer in time, or too many other names wait
     */
    public CompletableFuture<Queue> find(Caller caller, @Nullable String name) {
        if (name == null || queues.isAtHand(name)) {
            return now(name);
        }
        CompletableFuture<Queue> mine = new CompletableFuture<>();
        CompletableFuture<Queue> before = underWay.putIfAbsent(name, mine);
        if (before != null) {
            return before.copy();
        }
        CompletableFuture<Queue> answer = mine.copy();
        begin(caller, name, mine);
        return answer;
    }

    private CompletableFuture<Queue> now(@Nullable String name) {
        try {
            return CompletableFuture.completedFuture(queues.getWhole(required(name)));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static String required(@Nullable String name) {
        if (name == null) {
            throw new SqsException(SqsError.MISSING_PARAMETER, "The request must contain the parameter QueueUrl.");
        }
        return name;
    }

    private void begin(Caller caller, String name, CompletableFuture<Queue> lookup) {
        if (!shares.tryBegin(caller)) {
            endWithFormer(name, lookup);
            return;
        }
        CompletableFuture<Queue> read = new CompletableFuture<>();
        read.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS).whenComplete((queue, failure) -> {
            shares.end(caller);
            if (failure instanceof TimeoutException) {
                endWithFormer(name, lookup);
            } else {
                end(name, lookup, read);
            }
        });
        try {
            threads.execute(() -> read(name, read));
        } catch (RejectedExecutionException e) {
            read.completeExceptionally(new TimeoutException());
        } catch (Throwable e) {
            // the machine may have no thread left
            read.completeExceptionally(e);
        }
    }

    private void read(String name, CompletableFuture<Queue> read) {
        if (read.isDone()) {
            return;
        }
        try {
            read.complete(queues.getWhole(name));
        } catch (Throwable e) {
            read.completeExceptionally(e);
        }
    }

    /** With the settings that were read before, or that the service is unavailable: nothing was done. */
    private void endWithFormer(String name, CompletableFuture<Queue> lookup) {
        try {
            formerThreads.execute(() -> end(name, lookup, former(name)));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            end(name, lookup, CompletableFuture.failedFuture(SqsErrors.unavailable()));
        }
    }

    private CompletableFuture<Queue> former(String name) {
        try {
            return queues.keepFormer(name) ? now(name) : CompletableFuture.failedFuture(SqsErrors.unavailable());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void end(String name, CompletableFuture<Queue> lookup, CompletableFuture<Queue> outcome) {
        underWay.remove(name, lookup);
        outcome.whenComplete((queue, failure) -> {
            if (failure == null) {
                lookup.complete(queue);
            } else {
                lookup.completeExceptionally(failure);
            }
        });
    }

    /** Names that are looked up now. */
    int underWay() {
        return underWay.size();
    }

    /** Begins no further lookup. */
    @Override
    public void close() {
        threads.shutdown();
        formerThreads.shutdown();
    }
}
