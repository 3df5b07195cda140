package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.shared.OwnFailure;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waits for an answer on behalf of a blocking call.
 *
 * @param timeout how long the call may take
 * @param spentNanos what it has taken so far
 */
record BlockingCall(Duration timeout, long spentNanos) {

    private static final String REMEDY = ": repeat the call, or raise the command timeout";
    private static final String INTERRUPTED =
            "interrupted while waiting for Redis; the request may have been carried out";

    /** Longer than an error takes from the store's thread to this one. */
    private static final long MAX_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    BlockingCall(Duration timeout) {
        this(timeout, 0);
    }

    <T> T await(CompletableFuture<T> answer, @Nullable String topic, @Nullable String id) {
        try {
            return answer.get(leftNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failure(FutureErrors.unwrap(e), topic, id);
        } catch (TimeoutException e) {
            // a request that still waits is not sent any more
            return giveUp(
                    answer, new RedisUnavailableException(unanswered() + about(topic, id) + REMEDY, topic, id, e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return giveUp(answer, new RedisUnavailableException(INTERRUPTED + about(topic, id), topic, id, e));
        }
    }

    /**
     * Waits until all parts of a call are answered, none of them by an error of the whole.
     *
     * @param giveUp ends the parts that are not answered in time
     */
    void awaitParts(CompletableFuture<?> allAnswered, Consumer<DelayQueueException> giveUp) {
        try {
            allAnswered.get(leftNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException("parts fail, not the whole", e);
        } catch (TimeoutException e) {
            giveUp.accept(new RedisUnavailableException(unanswered() + REMEDY, null, null, e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            giveUp.accept(new RedisUnavailableException(INTERRUPTED, null, null, e));
        }
    }

    private long leftNanos() {
        // the store gives up after the same time and knows why: its failure comes first
        long grace = Math.min(timeout.toNanos() / 10, MAX_GRACE_NANOS);
        return Math.max(0, timeout.toNanos() - spentNanos) + grace;
    }

    private String unanswered() {
        return "Redis did not answer within " + timeout + "; the request may have been carried out";
    }

    private static <T> T giveUp(CompletableFuture<T> answer, RedisUnavailableException error) {
        if (answer.completeExceptionally(error)) {
            throw error;
        }
        try {
            // it came at the last moment
            return answer.join();
        } catch (CompletionException e) {
            throw failure(FutureErrors.unwrap(e), error.topic(), error.id());
        }
    }

    private static DelayQueueException failure(Throwable cause, @Nullable String topic, @Nullable String id) {
        if (id != null && cause instanceof DelayQueueException own && id.equals(own.id())) {
            // this call's own; it was thrown on Redis' thread: show the caller, too
            own.addSuppressed(new CallSite());
            return own;
        }
        // others may have the same object
        return OwnFailure.of(cause, topic, id);
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
