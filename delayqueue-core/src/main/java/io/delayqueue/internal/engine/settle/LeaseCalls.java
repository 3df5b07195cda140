package io.delayqueue.internal.engine.settle;

import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.RetryPause;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The calls of one consumer about leases in one partition. Each is repeated under the same id until Redis has answered it. */
final class LeaseCalls {

    /** A call that is refused is repeated within this time: after a second, and what its answer takes. */
    private static final long REFUSED_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final ConsumerContext context;
    private final Partition partition;
    private final String consumer;
    private final AtomicLong lastNumber = new AtomicLong();
    private final AtomicInteger repeating = new AtomicInteger();
    private volatile boolean givenUp;
    private volatile long refusedNanos = System.nanoTime() - REFUSED_NANOS;

    LeaseCalls(ConsumerContext context, Partition partition, String consumer) {
        this.context = context;
        this.partition = partition;
        this.consumer = consumer;
    }

    ConsumerContext context() {
        return context;
    }

    Partition partition() {
        return partition;
    }

    /** Whether a call has failed and is being repeated. */
    boolean isFailing() {
        return repeating.get() > 0;
    }

    /** Whether Redis answers, but refuses some of these calls: it may do so for ever. */
    boolean isRefused() {
        return System.nanoTime() - refusedNanos < REFUSED_NANOS;
    }

    /** Repeats no call any more: a message whose settlement is not answered now is delivered again after its lease. */
    void giveUp() {
        givenUp = true;
    }

    /** Reports that the lease of a message is lost, once. */
    void leaseLost(InFlightMessage message) {
        if (message.loseLease()) {
            context.client().observer().call(observer -> observer.leaseLost(message.message()));
        }
    }

    /** The failure of a message whose settlement was given up. */
    DelayQueueClosedException givenUp(InFlightMessage message) {
        return new DelayQueueClosedException(
                "the subscription stopped before Redis answered the settlement of message '"
                        + message.message().id() + "' of topic '" + context.topic()
                        + "'; the message is delivered again after its lease",
                context.topic(),
                message.message().id(),
                null);
    }

    /** Makes a call. The answer is the store's first. */
    <A> CompletableFuture<List<A>> retryUntilAnswered(Call<A> call) {
        CompletableFuture<List<A>> answer = new CompletableFuture<>();
        attempt(call, new CallId(consumer, lastNumber.incrementAndGet(), false), RetryPause.FIRST, answer);
        return answer;
    }

    private <A> void attempt(Call<A> call, CallId id, RetryPause pause, CompletableFuture<List<A>> answer) {
        send(call, id).whenComplete((results, error) -> {
            if (error == null || givenUp) {
                repeating.addAndGet(id.repeated() ? -1 : 0);
            } else {
                repeating.addAndGet(id.repeated() ? 0 : 1);
            }
            if (error != null && !(FutureErrors.unwrap(error) instanceof RedisUnavailableException)) {
                refusedNanos = System.nanoTime();
            }
            if (error == null) {
                context.callSucceeded();
                answer.complete(results);
            } else if (givenUp) {
                answer.completeExceptionally(error);
            } else {
                context.callFailed(FutureErrors.unwrap(error));
                attemptLater(call, new CallId(consumer, id.number(), true), pause, answer);
            }
        });
    }

    private <A> CompletableFuture<List<A>> send(Call<A> call, CallId id) {
        try {
            return call.send(context.client().store(), id);
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private <A> void attemptLater(Call<A> call, CallId id, RetryPause pause, CompletableFuture<List<A>> answer) {
        try {
            context.client()
                    .timer()
                    .schedule(() -> attempt(call, id, pause.next(), answer), pause.nanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            answer.completeExceptionally(closed);
        }
    }

    /** A call to the store that may be repeated. */
    interface Call<A> {
        CompletableFuture<List<A>> send(MessageStore store, CallId id);
    }
}
