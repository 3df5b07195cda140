package io.delayqueue.internal.engine;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.Receipt;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.FutureErrors;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The calls of a pull consumer as users see them: bounded in time, with failures of their own, and futures that complete on the users'
 * threads. A call that is given up is still repeated.
 */
record PullCalls(DelayQueueOptions options, CallChecks checks, UserFutures futures, CallFailures failures) {

    <T> CompletableFuture<T> async(Receipt receipt, Supplier<CompletableFuture<T>> call) {
        checks.requireOpen(receipt.topic());
        return futures.of(receipt.topic(), receipt.messageId(), () -> bounded(receipt, call.get()));
    }

    /**
     * As many calls, whose futures complete in one task, once all have their answers or the time is over.
     *
     * @param receipts never change
     */
    <T> List<CompletableFuture<T>> asyncAll(
            String topic, List<Receipt> receipts, Supplier<List<CompletableFuture<T>>> call) {
        checks.requireOpen(topic);
        Executor completions;
        try {
            completions = futures.forCaller(topic, null);
        } catch (ClientOverloadedException e) {
            String reason = Objects.requireNonNull(e.getMessage());
            return receipts.stream()
                    .map(receipt -> CompletableFuture.<T>failedFuture(
                            new ClientOverloadedException(reason, topic, receipt.messageId(), null)))
                    .toList();
        }
        List<CompletableFuture<T>> answers = call.get();
        List<CompletableFuture<T>> results =
                answers.stream().map(answer -> new CompletableFuture<T>()).toList();
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .orTimeout(timeout().toNanos(), TimeUnit.NANOSECONDS)
                .whenComplete((all, error) -> completions.execute(() -> {
                    for (int i = 0; i < results.size(); i++) {
                        complete(results.get(i), answers.get(i), receipts.get(i));
                    }
                }));
        return results;
    }

    private <T> void complete(CompletableFuture<T> result, CompletableFuture<T> answer, Receipt receipt) {
        if (!answer.isDone()) {
            // the call itself goes on
            result.completeExceptionally(failure(receipt, new TimeoutException()));
            return;
        }
        answer.whenComplete((value, error) -> {
            if (error == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure(receipt, FutureErrors.unwrap(error)));
            }
        });
    }

    <T> T blocking(Receipt receipt, Supplier<CompletableFuture<T>> call) {
        checks.requireOpen(receipt.topic());
        return new BlockingCall(timeout()).await(bounded(receipt, call.get()), receipt.topic(), receipt.messageId());
    }

    private <T> CompletableFuture<T> bounded(Receipt receipt, CompletableFuture<T> answer) {
        // a copy: the call itself goes on
        return answer.copy()
                .orTimeout(timeout().toNanos(), TimeUnit.NANOSECONDS)
                .exceptionally(error -> {
                    throw new CompletionException(failure(receipt, FutureErrors.unwrap(error)));
                });
    }

    private Throwable failure(Receipt receipt, Throwable error) {
        if (error instanceof TimeoutException) {
            return new RedisUnavailableException(
                    "Redis did not settle message '" + receipt.messageId() + "' of topic '" + receipt.topic()
                            + "' within " + timeout() + "; still retrying",
                    receipt.topic(),
                    receipt.messageId(),
                    error);
        }
        return failures.of(receipt.topic(), receipt.messageId(), error);
    }

    private Duration timeout() {
        return options.commandTimeout();
    }
}
