package io.delayqueue.internal.engine.shared;

import io.delayqueue.internal.FutureErrors;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Steps of a call whose answer its caller may give up. That reaches back to the step under way, so that a call that was not sent yet is
 * withdrawn; the futures of the JDK pass on results only.
 */
public final class Withdrawable {

    private Withdrawable() {}

    /** The answer, changed. */
    public static <T, R> CompletableFuture<R> map(CompletableFuture<T> call, Function<T, R> change) {
        return linked(call, call.thenApply(change));
    }

    /** The answer of a second call, which the answer of the first one leads to. */
    public static <T, R> CompletableFuture<R> compose(
            CompletableFuture<T> call, Function<T, CompletableFuture<R>> second) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        linked(call, answer);
        call.whenComplete((value, error) -> {
            if (error != null) {
                answer.completeExceptionally(FutureErrors.unwrap(error));
            } else if (!answer.isDone()) {
                forward(start(second, value), answer);
            }
        });
        return answer;
    }

    /** The answer, or the error made of the failure. */
    public static <T> CompletableFuture<T> mapError(CompletableFuture<T> call, Function<Throwable, Throwable> change) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        call.whenComplete((value, error) -> {
            if (error == null) {
                answer.complete(value);
            } else if (!answer.isDone()) {
                answer.completeExceptionally(change.apply(FutureErrors.unwrap(error)));
            }
        });
        return linked(call, answer);
    }

    /** Completes the answer as the call completes; an answer given up withdraws the call. */
    public static <T> void forward(CompletableFuture<T> call, CompletableFuture<T> answer) {
        linked(call, answer);
        call.whenComplete((value, error) -> {
            if (error == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(FutureErrors.unwrap(error));
            }
        });
    }

    private static <T, R> CompletableFuture<R> start(Function<T, CompletableFuture<R>> call, T argument) {
        try {
            return call.apply(argument);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static <R> CompletableFuture<R> linked(CompletableFuture<?> call, CompletableFuture<R> answer) {
        answer.whenComplete((value, error) -> call.cancel(false));
        return answer;
    }
}
