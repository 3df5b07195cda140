package io.delayqueue.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** A caller's future of an answer in another form: giving one of the two up gives up the other. */
final class LinkedFuture {

    private LinkedFuture() {}

    /** Completes on the thread that completes the answer. */
    static <T, R> CompletableFuture<R> of(CompletableFuture<T> answer, Function<T, R> form) {
        return of(answer, form, Runnable::run);
    }

    /** Completes on an executor, but is cancelled on the thread that cancels the answer. */
    static <T, R> CompletableFuture<R> of(CompletableFuture<T> answer, Function<T, R> form, Executor executor) {
        CompletableFuture<R> future = new CompletableFuture<>();
        answer.whenComplete((value, error) -> {
            if (answer.isCancelled()) {
                future.cancel(false);
            } else if (error != null) {
                executor.execute(() -> future.completeExceptionally(unwrap(error)));
            } else {
                executor.execute(() -> future.complete(form.apply(value)));
            }
        });
        future.whenComplete((value, error) -> answer.cancel(false));
        return future;
    }

    static Throwable unwrap(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }
}
