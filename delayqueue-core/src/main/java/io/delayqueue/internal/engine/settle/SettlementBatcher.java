package io.delayqueue.internal.engine.settle;

import io.delayqueue.internal.engine.shared.GroupCommit;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.Retry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Settles the messages of one partition in one way (ack, retry or release) in batches, one batch after the other. Each way has
 * batches of its own: while Redis refuses one of them, the others go on. The answer is whether the lease was still held.
 */
abstract class SettlementBatcher<S extends Settlement> extends GroupCommit<S, Boolean> {

    /** A handled message waits at most this long for others in flight to be handled, so that they are settled together. */
    private static final long GATHER_MICROS = 1000;

    private final LeaseCalls calls;
    private final IntSupplier inFlight;

    private SettlementBatcher(LeaseCalls calls, IntSupplier inFlight) {
        this.calls = calls;
        this.inFlight = inFlight;
    }

    /** @param inFlight how many messages of the partition are not settled yet */
    static SettlementBatcher<Settlement.Ack> acks(LeaseCalls calls, IntSupplier inFlight) {
        return new SettlementBatcher<>(calls, inFlight) {
            @Override
            CompletableFuture<List<Boolean>> call(
                    MessageStore store, Partition partition, CallId id, List<Settlement.Ack> acks) {
                return store.ack(
                        partition,
                        id,
                        acks.stream().map(ack -> ack.message().lease()).toList());
            }

            @Override
            void settled(Settlement.Ack ack) {
                calls.context()
                        .client()
                        .observer()
                        .call(observer -> observer.acked(ack.message().message()));
            }
        };
    }

    /** @param inFlight how many messages of the partition are not settled yet */
    static SettlementBatcher<Settlement.Retry> retries(LeaseCalls calls, IntSupplier inFlight) {
        return new SettlementBatcher<>(calls, inFlight) {
            @Override
            CompletableFuture<List<Boolean>> call(
                    MessageStore store, Partition partition, CallId id, List<Settlement.Retry> retries) {
                return store.retry(
                        partition,
                        id,
                        retries.stream().map(SettlementBatcher::toStore).toList());
            }

            @Override
            void settled(Settlement.Retry retry) {
                var message = retry.message().message();
                var delay = retry.delay();
                calls.context().client().observer().call(observer -> {
                    if (delay == null) {
                        observer.deadLettered(message.topic(), message.id(), message.attempt(), retry.error());
                    } else {
                        observer.retried(message, delay, retry.cause());
                    }
                });
            }
        };
    }

    /** @param inFlight how many messages of the partition are not settled yet */
    static SettlementBatcher<Settlement.Release> releases(LeaseCalls calls, IntSupplier inFlight) {
        return new SettlementBatcher<>(calls, inFlight) {
            @Override
            CompletableFuture<List<Boolean>> call(
                    MessageStore store, Partition partition, CallId id, List<Settlement.Release> releases) {
                return store.release(
                        partition,
                        releases.stream().map(SettlementBatcher::toStore).toList());
            }

            @Override
            void lost(Settlement.Release release) {
                // no handler had begun, so nobody is told
            }
        };
    }

    /** The call of the store. */
    abstract CompletableFuture<List<Boolean>> call(
            MessageStore store, Partition partition, CallId id, List<S> settlements);

    /** Redis has settled it. */
    void settled(S settlement) {}

    /** Redis refused it, since the lease was not held any more. */
    void lost(S settlement) {
        calls.leaseLost(settlement.message());
    }

    @Override
    protected CompletableFuture<List<@Nullable Boolean>> send(List<S> batch) {
        return calls.retryUntilAnswered((store, id) -> call(store, calls.partition(), id, batch))
                .thenApply(held -> {
                    for (int i = 0; i < batch.size(); i++) {
                        if (held.get(i)) {
                            settled(batch.get(i));
                        } else {
                            lost(batch.get(i));
                        }
                    }
                    return new ArrayList<>(held);
                });
    }

    private static Retry toStore(Settlement.Retry retry) {
        return new Retry(
                retry.message().lease(),
                retry.message().message().attempt(),
                retry.delay(),
                retry.message().message().priority(),
                retry.error());
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

    @Override
    protected Object key(S settlement) {
        return settlement.message();
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
