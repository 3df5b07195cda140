package io.delayqueue.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** A caller's future of an answer in another form: cancelling it cancels the answer, and the other way round. */
final class LinkedFuture {

    private LinkedFuture() {}

    static <T, R> CompletableFuture<R> of(CompletableFuture<T> answer, Function<T, R> form) {
        CompletableFuture<R> future = new CompletableFuture<>();
        answer.whenComplete((value, error) -> {
            if (answer.isCancelled()) {
                future.cancel(false);
            } else if (error != null) {
                future.completeExceptionally(unwrap(error));
            } else {
                future.complete(form.apply(value));
            }
        });
        future.whenComplete((value, error) -> answer.cancel(false));
        return future;
    }

    static Throwable unwrap(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }
}
