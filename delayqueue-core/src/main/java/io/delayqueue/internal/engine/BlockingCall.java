package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueException;
import io.delayqueue.RedisUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Turns answers to come into answers, for as long as a blocking call may wait. */
record BlockingCall(Duration most) {

    private static final long LONGEST_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    <T> T await(CompletableFuture<T> answer, @Nullable String topic, @Nullable String id) {
        try {
            // the store gives up after as long, and knows why: it is heard first
            long grace = Math.min(most.toNanos() / 10, LONGEST_GRACE_NANOS);
            return answer.get(most.toNanos() + grace, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failure(e, topic, id);
        } catch (TimeoutException e) {
            var gaveUp = new RedisUnavailableException(
                    "Redis did not answer within " + most + "; what was asked may have been done" + about(topic, id)
                            + ": repeat the call, or raise the command timeout",
                    topic,
                    id,
                    e);
            // what is not sent yet need not be any more
            answer.completeExceptionally(gaveUp);
            throw gaveUp;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisUnavailableException(
                    "interrupted while waiting for Redis; what was asked may have been done" + about(topic, id),
                    topic,
                    id,
                    e);
        }
    }

    private static RuntimeException failure(ExecutionException error, @Nullable String topic, @Nullable String id) {
        Throwable cause = Failures.cause(error);
        if (cause instanceof DelayQueueException failure) {
            // it was thrown on Redis' thread: show where the call was made, too
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
