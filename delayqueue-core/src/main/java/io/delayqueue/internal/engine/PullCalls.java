package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.Receipt;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.FutureErrors;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
