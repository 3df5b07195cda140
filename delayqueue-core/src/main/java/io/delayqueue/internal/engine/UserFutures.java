package io.delayqueue.internal.engine;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.internal.FutureErrors;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the futures that users get, and completes them by an executor: a user may chain blocking work to them, and Redis' connection
 * serves everybody. Each future is a task of its own, so that one that blocks holds up no other of its batch. Thread-safe.
 */
final class UserFutures {

    private final Executor executor;
    private final int maxWaiting;
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * Futures that an executor completes.
     *
     * @param maxWaiting how many completions may wait for the executor before calls are refused
     */
    UserFutures(Executor executor, int maxWaiting) {
        this.executor = executor;
        this.maxWaiting = maxWaiting;
    }

    /**
     * Makes a call, and returns a future for the user with its outcome. If the user completes or cancels that, the answer is no longer
     * wanted. The call is refused while too many futures wait for continuations that block.
     */
    <T> CompletableFuture<T> of(@Nullable String topic, @Nullable String id, Supplier<CompletableFuture<T>> call) {
        Executor completions;
        CompletableFuture<T> answer;
        try {
            completions = forCaller(topic, id);
            answer = call.get();
        } catch (ClientOverloadedException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (answer.isDone()) {
            // nothing can be chained to it yet
            return answer;
        }
        CompletableFuture<T> future = new CompletableFuture<>();
        answer.whenComplete((value, error) -> complete(future, value, error, completions));
        future.whenComplete((value, error) -> {
            if (error != null) {
                answer.completeExceptionally(error);
            } else {
                answer.cancel(false);
            }
        });
        return future;
    }

    /**
     * Completes the future of a call that the current thread makes.
     *
     * @throws ClientOverloadedException while too many futures wait for continuations that block
     */
    Executor forCaller(@Nullable String topic, @Nullable String id) {
        requireCapacity(topic, id);
        Executor threads = executor instanceof CompletionThreads own ? own.forCaller() : executor;
        return completion -> execute(completion, threads);
    }

    private void requireCapacity(@Nullable String topic, @Nullable String id) {
        String reason;
        if (executor instanceof CompletionThreads own && own.mightCallerWaitForever()) {
            reason = GrowingThreads.MAX_THREADS
                    + " threads are blocked by continuations that wait for calls of their own";
        } else if (waiting.get() >= maxWaiting) {
            reason = maxWaiting
                    + " answered calls wait for a completion thread, since continuations of earlier calls block";
        } else {
            return;
        }
        throw new ClientOverloadedException(
                reason
                        + ": nothing was sent. Chain calls by thenCompose rather than wait for them, let continuations return"
                        + " soon, or give the client a completionExecutor with more threads",
                topic,
                id,
                null);
    }

    private static <T> void complete(
            CompletableFuture<T> future, T value, @Nullable Throwable error, Executor completions) {
        if (future.isDone()) {
            return;
        }
        completions.execute(() -> {
            if (error == null) {
                future.complete(value);
            } else {
                future.completeExceptionally(FutureErrors.unwrap(error));
            }
        });
    }

    private void execute(Runnable completion, Executor threads) {
        waiting.incrementAndGet();
        Runnable counted = () -> {
            waiting.decrementAndGet();
            completion.run();
        };
        try {
            threads.execute(counted);
        } catch (Throwable e) {
            // an executor of the user's that refuses: better here than never
            counted.run();
        }
    }
}
