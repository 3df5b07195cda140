package io.delayqueue.internal.engine.settle;

import io.delayqueue.internal.engine.shared.GroupCommit;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.Retry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Settles the messages of one partition in batches, one batch after the other. The answer is whether the lease was still held. */
final class SettlementBatcher extends GroupCommit<Settlement, Boolean> {

    /** A handled message waits at most this long for others in flight to be handled, so that they are acked together. */
    private static final long GATHER_MICROS = 1000;

    private final LeaseCalls calls;
    private final IntSupplier inFlight;

    /** @param inFlight how many messages of the partition are not settled yet */
    SettlementBatcher(LeaseCalls calls, IntSupplier inFlight) {
        this.calls = calls;
        this.inFlight = inFlight;
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
    protected CompletableFuture<List<@Nullable Boolean>> send(List<Settlement> batch) {
        Map<InFlightMessage, Boolean> held = new ConcurrentHashMap<>();
        return CompletableFuture.allOf(
                        ack(only(batch, Settlement.Ack.class), held),
                        retry(only(batch, Settlement.Retry.class), held),
                        release(only(batch, Settlement.Release.class), held))
                .thenApply(done -> batch.stream()
                        .map(settlement -> held.get(settlement.message()))
                        .toList());
    }

    private CompletableFuture<?> ack(List<Settlement.Ack> acks, Map<InFlightMessage, Boolean> held) {
        return settle(
                acks,
                (store, id) -> store.ack(
                        calls.partition(),
                        id,
                        acks.stream().map(ack -> ack.message().lease()).toList()),
                (ack, done) -> {
                    concluded(ack, done, held);
                    if (done) {
                        calls.context()
                                .client()
                                .observer()
                                .call(observer -> observer.acked(ack.message().message()));
                    }
                });
    }

    private CompletableFuture<?> retry(List<Settlement.Retry> retries, Map<InFlightMessage, Boolean> held) {
        return settle(
                retries,
                (store, id) -> store.retry(
                        calls.partition(),
                        id,
                        retries.stream().map(SettlementBatcher::toStore).toList()),
                (retry, done) -> {
                    concluded(retry, done, held);
                    if (done) {
                        report(retry);
                    }
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

    private void report(Settlement.Retry retry) {
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

    private CompletableFuture<?> release(List<Settlement.Release> releases, Map<InFlightMessage, Boolean> held) {
        return settle(
                releases,
                (store, id) -> store.release(
                        calls.partition(),
                        releases.stream().map(SettlementBatcher::toStore).toList()),
                (release, done) -> held.put(release.message(), done));
    }

    private static Release toStore(Settlement.Release release) {
        InFlightMessage message = release.message();
        return new Release(
                message.lease(), message.dueMicros(), message.message().priority(), message.isSuspect());
    }

    private void concluded(Settlement settlement, boolean stillHeld, Map<InFlightMessage, Boolean> held) {
        held.put(settlement.message(), stillHeld);
        if (!stillHeld) {
            calls.leaseLost(settlement.message());
        }
    }

    private <S extends Settlement> CompletableFuture<?> settle(
            List<S> settlements, LeaseCalls.Call<Boolean> call, BiConsumer<S, Boolean> each) {
        if (settlements.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return calls.retryUntilAnswered(call).thenAccept(results -> {
            for (int i = 0; i < settlements.size(); i++) {
                each.accept(settlements.get(i), results.get(i));
            }
        });
    }

    private static <S extends Settlement> List<S> only(List<Settlement> batch, Class<S> kind) {
        return batch.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @Override
    protected Object key(Settlement settlement) {
        return settlement.message();
    }

    @Override
    protected int weight(Settlement settlement) {
        return 0;
    }

    @Override
    protected Throwable refusal(Settlement settlement) {
        return calls.givenUp(settlement.message());
    }
}
