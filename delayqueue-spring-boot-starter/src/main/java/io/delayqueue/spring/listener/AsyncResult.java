package io.delayqueue.spring.listener;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;

/** Waits for the asynchronous result of a listener method. */
final class AsyncResult {

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", AsyncResult.class.getClassLoader());

    private AsyncResult() {}

    static boolean isAwaitable(Class<?> type) {
        return CompletionStage.class.isAssignableFrom(type) || REACTOR && ReactorResult.isMono(type);
    }

    /** Waits for a stage or Mono on this thread and throws its failure; cancels it if this thread is interrupted. */
    static void await(@Nullable Object result) throws Exception {
        if (result instanceof CompletionStage<?> stage) {
            awaitStage(stage);
        } else if (REACTOR && result != null && ReactorResult.isMono(result.getClass())) {
            awaitStage(ReactorResult.subscribe(result));
        }
    }

    private static void awaitStage(CompletionStage<?> stage) throws Exception {
        CompletableFuture<@Nullable Object> done = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> {
            if (failure != null) {
                done.completeExceptionally(failure);
            } else {
                done.complete(null);
            }
        });
        try {
            done.get();
        } catch (ExecutionException e) {
            throw unwrap(e);
        } catch (InterruptedException e) {
            if (stage instanceof Future<?> future) {
                future.cancel(true);
            }
            throw e;
        }
    }

    private static Exception unwrap(ExecutionException e) {
        Throwable cause = e.getCause();
        // a user's stage may have added its own
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof Exception exception ? exception : e;
    }

    /** Loaded only if Reactor is on the class path. */
    private static final class ReactorResult {

        static boolean isMono(Class<?> type) {
            return Mono.class.isAssignableFrom(type);
        }

        static CompletableFuture<?> subscribe(Object mono) {
            return ((Mono<?>) mono).toFuture();
        }
    }
}
