package io.delayqueue.internal.engine;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.internal.FutureErrors;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Completes the futures that users get, on threads that do nothing else: what a user chains to them may block, and Redis' connection
 * serves everybody. Each future is a task of its own, so that one that blocks holds up no other of its batch. Thread-safe.
 */
final class Completions implements AutoCloseable {

    /** As many continuations may block before the others wait; an idle thread ends after a while. */
    private static final int THREADS = 8;

    private static final long KEEP_ALIVE_SECONDS = 10;

    private final int maxWaiting;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Executor executor;
    private final Runnable end;

    /**
     * Has no thread yet.
     *
     * @param users runs the completions; null for threads of this client
     * @param maxWaiting how many completions may wait for the executor before calls are refused
     */
    Completions(@Nullable Executor users, int maxWaiting) {
        this.maxWaiting = maxWaiting;
        if (users != null) {
            this.executor = users;
            this.end = () -> {};
        } else {
            ThreadPoolExecutor own = threads();
            this.executor = own;
            this.end = own::shutdown;
        }
    }

    private static ThreadPoolExecutor threads() {
        AtomicLong number = new AtomicLong();
        ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                THREADS, THREADS, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, "delayqueue-completion-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    thread.setContextClassLoader(classLoader);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /**
     * Makes a call, and returns a future for the user with its outcome. If the user completes or cancels that, the answer is no longer
     * wanted. While too many futures wait for continuations that block, the call is not made.
     */
    <T> CompletableFuture<T> of(@Nullable String topic, @Nullable String id, Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> answer;
        try {
            requireCapacity(topic, id);
            answer = call.get();
        } catch (ClientOverloadedException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (answer.isDone()) {
            // nothing can be chained to it yet
            return answer;
        }
        CompletableFuture<T> users = new CompletableFuture<>();
        answer.whenComplete((value, error) -> complete(users, value, error));
        users.whenComplete((value, error) -> {
            if (error != null) {
                answer.completeExceptionally(error);
            } else {
                answer.cancel(false);
            }
        });
        return users;
    }

    private void requireCapacity(@Nullable String topic, @Nullable String id) {
        if (waiting.get() >= maxWaiting) {
            throw new ClientOverloadedException(
                    maxWaiting + " answers wait for continuations of earlier ones, which block: nothing was sent. Let"
                            + " continuations return soon, or give the client a completionExecutor with more threads",
                    topic,
                    id,
                    null);
        }
    }

    private <T> void complete(CompletableFuture<T> users, T value, @Nullable Throwable error) {
        if (users.isDone()) {
            return;
        }
        waiting.incrementAndGet();
        Runnable completion = () -> {
            waiting.decrementAndGet();
            if (error == null) {
                users.complete(value);
            } else {
                users.completeExceptionally(FutureErrors.unwrap(error));
            }
        };
        try {
            executor.execute(completion);
        } catch (Throwable e) {
            // closed, or an executor of the user's that refuses: better here than never
            completion.run();
        }
    }

    /** Completes what is complete by now, then ends the threads. An executor of the user's stays open. */
    @Override
    public void close() {
        end.run();
    }
}
