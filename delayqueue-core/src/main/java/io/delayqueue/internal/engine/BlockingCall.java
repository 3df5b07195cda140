package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.FutureErrors;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Waits for an answer on behalf of a blocking call.
 *
 * @param timeout how long it may wait
 */
record BlockingCall(Duration timeout) {

    /** Longer than an error takes from the store's thread to this one. */
    private static final long MAX_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    <T> T await(CompletableFuture<T> answer, @Nullable String topic, @Nullable String id) {
        try {
            // the store gives up after the same time and knows why: its failure comes first
            long grace = Math.min(timeout.toNanos() / 10, MAX_GRACE_NANOS);
            return answer.get(timeout.toNanos() + grace, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failure(e, topic, id);
        } catch (TimeoutException e) {
            var gaveUp = new RedisUnavailableException(
                    "Redis did not answer within " + timeout + "; the request may have been carried out"
                            + about(topic, id) + ": repeat the call, or raise the command timeout",
                    topic,
                    id,
                    e);
            // a request that still waits is not sent any more
            answer.completeExceptionally(gaveUp);
            throw gaveUp;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisUnavailableException(
                    "interrupted while waiting for Redis; the request may have been carried out" + about(topic, id),
                    topic,
                    id,
                    e);
        }
    }

    private static RuntimeException failure(ExecutionException error, @Nullable String topic, @Nullable String id) {
        Throwable cause = FutureErrors.unwrap(error);
        if (cause instanceof DelayQueueException failure) {
            // it was thrown on Redis' thread: show the caller, too
            failure.addSuppressed(new CallSite());
            return failure;
        }
        return new DelayQueueException("the call failed" + about(topic, id) + ": " + cause, topic, id, cause);
    }

    private static String about(@Nullable String topic, @Nullable String id) {
        return (topic == null ? "" : " (topic '" + topic + "'")
                + (id == null ? "" : ", id '" + id + "'")
                + (topic == null ? "" : ")");
    }

    /** Carries the stack of the blocking call. */
    private static final class CallSite extends Exception {

        private static final long serialVersionUID = 1L;

        CallSite() {
            super("the call was made here");
        }
    }
}
