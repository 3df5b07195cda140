package io.delayqueue.internal.engine.settle;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.engine.shared.GroupCommit;
import io.delayqueue.internal.engine.shared.SafeObserver;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Settles the messages of one partition in one way (ack, retry or release) in batches, one batch after the other. Each way has
 * batches of its own: while Redis refuses one of them, the others go on. The answer is whether the lease was still held.
 */
final class SettlementBatcher<S extends Settlement> extends GroupCommit<S, Boolean> {

    /** A handled message waits at most this long for others in flight to be handled, so that they are settled together. */
    private static final long GATHER_MICROS = 1000;

    private final LeaseCalls calls;
    private final IntSupplier inFlight;
    private final StoreCall<S> call;
    private final Consumer<S> settled;
    private final Consumer<S> lost;

    /** The store's call for a batch; returns for each message whether its lease was still held. */
    private interface StoreCall<S> {

        CompletableFuture<List<Boolean>> send(MessageStore store, CallId id, List<S> batch);
    }

    /**
     * Sends nothing yet.
     *
     * @param inFlight how many messages of the partition are not settled yet
     * @param settled told each message that Redis has settled
     * @param lost told each message that Redis refused, since its lease was not held any more
     */
    private SettlementBatcher(
            LeaseCalls calls, IntSupplier inFlight, StoreCall<S> call, Consumer<S> settled, Consumer<S> lost) {
        this.calls = calls;
        this.inFlight = inFlight;
        this.call = call;
        this.settled = settled;
        this.lost = lost;
    }

    /** @param inFlight how many messages of the partition are not settled yet */
    static SettlementBatcher<Settlement.Ack> acks(LeaseCalls calls, IntSupplier inFlight) {
        SafeObserver observer = calls.context().client().observer();
        return new SettlementBatcher<>(
                calls,
                inFlight,
                (store, id, acks) -> store.ack(
                        calls.partition(),
                        id,
                        acks.stream().map(ack -> ack.message().lease()).toList()),
                ack -> observer.call(told -> told.acked(ack.message().message())),
                ack -> calls.leaseLost(ack.message()));
    }

    /** @param inFlight how many messages of the partition are not settled yet */
    static SettlementBatcher<Settlement.Ended> retries(LeaseCalls calls, IntSupplier inFlight) {
        SafeObserver observer = calls.context().client().observer();
        return new SettlementBatcher<>(
                calls,
                inFlight,
                (store, id, retries) -> store.retry(
                        calls.partition(),
                        id,
                        retries.stream().map(SettlementBatcher::toStore).toList()),
                retry -> observer.call(told -> report(retry, told)),
                retry -> calls.leaseLost(retry.message()));
    }

    /** @param inFlight how many messages of the partition are not settled yet */
    static SettlementBatcher<Settlement.Release> releases(LeaseCalls calls, IntSupplier inFlight) {
        SafeObserver observer = calls.context().client().observer();
        return new SettlementBatcher<>(
                calls,
                inFlight,
                (store, id, releases) -> store.release(
                        calls.partition(),
                        releases.stream().map(SettlementBatcher::toStore).toList()),
                release -> observer.call(told -> report(release, told)),
                // another process has the message; mostly, no handler had begun here
                release -> {});
    }

    private static void report(Settlement.Ended ended, DelayQueueObserver observer) {
        if (ended instanceof Settlement.Retry retry) {
            report(retry, observer);
        } else if (ended instanceof Settlement.Postpone postpone) {
            observer.postponed(postpone.message().message(), postpone.delay());
        }
    }

    private static void report(Settlement.Retry retry, DelayQueueObserver observer) {
        ReceivedMessage message = retry.message().message();
        Duration delay = retry.delay();
        if (delay == null) {
            observer.deadLettered(
                    message.topic(), message.id(), message.generation(), message.attempt(), retry.error());
        } else if (retry.message().isByReceipt()) {
            observer.retriedByReceipt(message, delay, retry.error());
        } else {
            observer.retried(message, delay, retry.cause());
        }
    }

    private static void report(Settlement.Release release, DelayQueueObserver observer) {
        ReceivedMessage message = release.message().message();
        if (release.message().isByReceipt()) {
            observer.releasedByReceipt(message);
        } else {
            observer.released(message);
        }
    }

    @Override
    protected CompletableFuture<List<@Nullable Boolean>> send(List<S> batch) {
        return calls.retryUntilAnswered((store, id) -> call.send(store, id, batch))
                .thenApply(held -> {
                    for (int i = 0; i < batch.size(); i++) {
                        (held.get(i) ? settled : lost).accept(batch.get(i));
                    }
                    return new ArrayList<>(held);
                });
    }

    private static Retry toStore(Settlement.Ended ended) {
        InFlightMessage inFlight = ended.message();
        ReceivedMessage message = inFlight.message();
        if (ended instanceof Settlement.Retry retry) {
            return new Retry(inFlight.lease(), message.attempt(), retry.delay(), message.priority(), retry.error());
        }
        return Retry.postponed(
                inFlight.lease(),
                message.attempt() - 1,
                Objects.requireNonNull(ended.delay(), "delay"),
                message.priority());
    }

    private static Release toStore(Settlement.Release release) {
        InFlightMessage message = release.message();
        return new Release(
                message.lease(), message.dueMicros(), message.message().priority(), message.isSuspect());
    }

    /** A settlement holds no handler slot, so it can wait; without that, a busy consumer would ack one by one. */
    @Override
    protected boolean mayGather(int waiting, int recentBatchSize) {
        return waiting < inFlight.getAsInt();
    }

    @Override
    protected boolean sendLater(Runnable task) {
        try {
            calls.context().client().timer().schedule(task, GATHER_MICROS, TimeUnit.MICROSECONDS);
            return true;
        } catch (RejectedExecutionException closed) {
            return false;
        }
    }

    /** The id: a message that was claimed again may be settled by both of its receipts, and one receipt may be used twice. */
    @Override
    protected Object key(S settlement) {
        return settlement.message().message().id();
    }

    @Override
    protected int weight(S settlement) {
        return 0;
    }

    @Override
    protected Throwable refusal(S settlement) {
        return calls.givenUp(settlement.message());
    }
}
