package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Release;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Settles messages of a partition in groups, one after the other. A batch is repeated until the store has answered it; the
 * answer is whether the lease was still held.
 */
final class SettlementBatcher extends GroupCommit<Settlement, Boolean> {

    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 1000;

    /** How long a handled message may wait for others in hand to be handled, so that they are acked together. */
    private static final long GATHER_MICROS = 1000;

    private final ConsumerContext context;
    private final Partition partition;
    private final String consumer;
    private final IntSupplier inHand;
    private final AtomicLong turns = new AtomicLong();
    private volatile boolean givenUp;

    /** @param inHand how many messages of the partition are in hand, settled or not */
    SettlementBatcher(ConsumerContext context, Partition partition, String consumer, IntSupplier inHand) {
        this.context = context;
        this.partition = partition;
        this.consumer = consumer;
        this.inHand = inHand;
    }

    /** Settling holds no place, so it can wait: else a full house would be acked one by one. */
    @Override
    boolean mayGather(int waiting, int crowd) {
        return waiting < inHand.getAsInt();
    }

    @Override
    boolean later(Runnable task) {
        try {
            context.timer().schedule(task, GATHER_MICROS, TimeUnit.MICROSECONDS);
            return true;
        } catch (RejectedExecutionException closed) {
            return false;
        }
    }

    /** Repeats no more: what the store does not answer now stays as it is until its lease ends. */
    void giveUp() {
        givenUp = true;
    }

    @Override
    CompletableFuture<List<@Nullable Boolean>> send(List<Settlement> batch) {
        Map<InFlightMessage, Boolean> held = new ConcurrentHashMap<>();
        return CompletableFuture.allOf(
                        ack(only(batch, Settlement.Ack.class), held),
                        retry(only(batch, Settlement.Retry.class), held),
                        extend(only(batch, Settlement.Extend.class), held),
                        release(only(batch, Settlement.Release.class), held))
                .thenApply(done -> batch.stream()
                        .map(settlement -> held.get(settlement.inHand()))
                        .toList());
    }

    private CompletableFuture<?> ack(List<Settlement.Ack> acks, Map<InFlightMessage, Boolean> held) {
        return sendKind(
                acks,
                (turn, store) -> store.ack(
                        partition,
                        turn,
                        acks.stream().map(ack -> ack.inHand().lease()).toList()),
                (ack, done) -> {
                    conclude(ack.inHand(), done, held);
                    if (done) {
                        context.observers()
                                .tell(observer -> observer.acked(ack.inHand().message()));
                    }
                });
    }

    private CompletableFuture<?> retry(List<Settlement.Retry> retries, Map<InFlightMessage, Boolean> held) {
        return sendKind(
                retries,
                (turn, store) -> store.retry(
                        partition,
                        turn,
                        retries.stream().map(SettlementBatcher::storeRetry).toList()),
                (retry, done) -> {
                    conclude(retry.inHand(), done, held);
                    if (done) {
                        tellRetried(retry);
                    }
                });
    }

    private static io.delayqueue.internal.store.Retry storeRetry(Settlement.Retry retry) {
        return new io.delayqueue.internal.store.Retry(
                retry.inHand().lease(),
                retry.inHand().message().attempt(),
                retry.delay(),
                retry.inHand().message().priority(),
                retry.error());
    }

    private void tellRetried(Settlement.Retry retry) {
        var message = retry.inHand().message();
        var delay = retry.delay();
        context.observers().tell(observer -> {
            if (delay == null) {
                observer.deadLettered(message.topic(), message.id(), message.attempt(), retry.error());
            } else {
                observer.retried(message, delay, retry.cause());
            }
        });
    }

    private CompletableFuture<?> extend(List<Settlement.Extend> extensions, Map<InFlightMessage, Boolean> held) {
        long sentNanos = System.nanoTime();
        return sendKind(
                extensions,
                (turn, store) -> store.extend(
                        partition,
                        turn,
                        extensions.stream()
                                .map(extend -> new Extension(extend.inHand().lease(), extend.lease()))
                                .toList()),
                (extend, receipt) -> {
                    if (receipt >= 0) {
                        extend.inHand()
                                .renewed(receipt, sentNanos + extend.lease().toNanos());
                    }
                    conclude(extend.inHand(), receipt >= 0, held);
                });
    }

    private CompletableFuture<?> release(List<Settlement.Release> releases, Map<InFlightMessage, Boolean> held) {
        return sendKind(
                releases,
                (turn, store) -> store.release(
                        partition,
                        releases.stream()
                                .map(release -> new Release(
                                        release.inHand().lease(),
                                        release.inHand().dueMicros(),
                                        release.inHand().message().priority()))
                                .toList()),
                (release, done) -> held.put(release.inHand(), done));
    }

    private void conclude(InFlightMessage inHand, boolean stillHeld, Map<InFlightMessage, Boolean> held) {
        held.put(inHand, stillHeld);
        if (!stillHeld && inHand.loseLease()) {
            context.observers().tell(observer -> observer.leaseLost(inHand.message()));
        }
    }

    private <S extends Settlement, A> CompletableFuture<?> sendKind(
            List<S> settlements, Call<A> call, BiConsumer<S, A> each) {
        if (settlements.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        long number = turns.incrementAndGet();
        CompletableFuture<List<A>> answer = new CompletableFuture<>();
        insist(
                repeated -> call.to(new CallId(consumer, number, repeated), context.store()),
                false,
                FIRST_PAUSE_MILLIS,
                answer);
        return answer.thenAccept(results -> {
            for (int i = 0; i < settlements.size(); i++) {
                each.accept(settlements.get(i), results.get(i));
            }
        });
    }

    private <A> void insist(
            Function<Boolean, CompletableFuture<List<A>>> call,
            boolean repeated,
            long pauseMillis,
            CompletableFuture<List<A>> answer) {
        attempt(call, repeated).whenComplete((results, error) -> {
            if (error == null) {
                context.succeeded();
                answer.complete(results);
            } else if (givenUp) {
                answer.completeExceptionally(error);
            } else {
                context.failed(Failures.cause(error));
                repeatLater(call, pauseMillis, answer);
            }
        });
    }

    private static <A> CompletableFuture<List<A>> attempt(
            Function<Boolean, CompletableFuture<List<A>>> call, boolean repeated) {
        try {
            return call.apply(repeated);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private <A> void repeatLater(
            Function<Boolean, CompletableFuture<List<A>>> call, long pauseMillis, CompletableFuture<List<A>> answer) {
        try {
            context.timer()
                    .schedule(
                            () -> insist(call, true, Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS), answer),
                            pauseMillis,
                            TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            answer.completeExceptionally(closed);
        }
    }

    private static <S extends Settlement> List<S> only(List<Settlement> batch, Class<S> kind) {
        return batch.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @Override
    Object key(Settlement settlement) {
        return settlement.inHand();
    }

    @Override
    int weight(Settlement settlement) {
        return 0;
    }

    @Override
    Throwable refusal(Settlement settlement) {
        return new DelayQueueClosedException(
                "the settlement of a message was given up",
                context.topic(),
                settlement.inHand().message().id(),
                null);
    }

    /** A call to the store that may be repeated. */
    private interface Call<A> {
        CompletableFuture<List<A>> to(CallId turn, MessageStore store);
    }
}
