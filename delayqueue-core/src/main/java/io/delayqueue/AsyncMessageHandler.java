package io.delayqueue;

import io.delayqueue.internal.FutureErrors;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Handles due messages without keeping a thread while it waits, such as for the answer of an HTTP client. A lambda becomes one by
 * {@link MessageHandler#async}.
 *
 * <p>A message keeps its handler slot until its stage completes, so {@link ConsumerOptions#concurrency()} limits the stages under
 * way. Until then its lease is renewed, and its timeout runs. Where a thread would be interrupted, a stage that is a {@link Future}
 * is cancelled: after the timeout, and at a stop after the grace.
 */
public interface AsyncMessageHandler extends MessageHandler {

    /**
     * Begins to handle a message. A stage that completes normally, with any value, acks it. One that completes exceptionally, or a
     * throw, retries it as in {@link MessageHandler#handle}. The stage must not be null.
     */
    CompletionStage<?> handleAsync(ReceivedMessage message, Delivery delivery) throws Exception;

    /** Calls {@link #handleAsync}, and waits for its stage. An interrupt cancels the stage. */
    @Override
    default void handle(ReceivedMessage message, Delivery delivery) throws Exception {
        CompletionStage<?> stage =
                Objects.requireNonNull(handleAsync(message, delivery), "an AsyncMessageHandler must return a stage");
        CompletableFuture<Void> done = new CompletableFuture<>();
        stage.whenComplete((value, error) -> {
            if (error == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(error);
            }
        });
        try {
            done.get();
        } catch (InterruptedException e) {
            if (stage instanceof Future<?> future) {
                future.cancel(true);
            }
            throw e;
        } catch (ExecutionException e) {
            Throwable cause = FutureErrors.unwrap(e);
            if (cause instanceof Error error) {
                throw error;
            }
            throw cause instanceof Exception exception ? exception : e;
        }
    }
}
