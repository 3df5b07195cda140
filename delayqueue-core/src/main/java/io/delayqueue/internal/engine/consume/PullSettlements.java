package io.delayqueue.internal.engine.consume;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.WakeUp;
import io.delayqueue.internal.ReceiptData;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.Receipts;
import io.delayqueue.internal.engine.settle.Settlement;
import io.delayqueue.internal.engine.settle.Settlements;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.Failures;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settles messages by their receipts, in the batches of one pull consumer, whichever process claimed them. Each answer is whether the
 * receipt was good. A call is repeated until Redis has answered it. Thread-safe.
 */
final class PullSettlements {

    /** Calls that may wait for Redis: a client of clients must not fill the memory while Redis is away. */
    static final int MAX_WAITING = 10_000;

    private final ConsumerContext context;
    private final Settlements settlements;
    private final PartitionConsumers partitions;
    private final Subscriptions subscriptions;
    private final AtomicInteger waiting = new AtomicInteger();

    PullSettlements(
            ConsumerContext context,
            Settlements settlements,
            PartitionConsumers partitions,
            Subscriptions subscriptions) {
        this.context = context;
        this.settlements = settlements;
        this.partitions = partitions;
        this.subscriptions = subscriptions;
    }

    CompletableFuture<Boolean> ack(ReceiptData receipt) {
        return call(receipt, message -> settle(new Settlement.Ack(message)));
    }

    /** @param delay until the next attempt; null to dead-letter the message */
    CompletableFuture<Boolean> retry(ReceiptData receipt, @Nullable Duration delay, String reason) {
        return call(receipt, message -> settle(new Settlement.Retry(message, delay, Failures.bounded(reason), null)));
    }

    CompletableFuture<Boolean> release(ReceiptData receipt) {
        return call(receipt, message -> settle(new Settlement.Release(message)));
    }

    CompletableFuture<Boolean> extend(ReceiptData receipt, Duration lease, boolean mayShorten) {
        return call(
                receipt,
                message -> settlements
                        .extendByReceipt(message, lease, mayShorten)
                        .whenComplete((held, error) -> {
                            settlements.handOver(message);
                            if (mayShorten && error == null && held && polls()) {
                                subscriptions.wakeUp(context.topic(), TimeUnit.MICROSECONDS.convert(lease));
                            }
                        }));
    }

    private CompletableFuture<Boolean> settle(Settlement settlement) {
        return settlements.settle(settlement).whenComplete((held, error) -> {
            partitions.settled(settlement.message().partition());
            wakeUpFor(settlement);
        });
    }

    /** Without wake-ups from Redis, this process alone knows when a message that it returns is due, or a lease that it changed ends. */
    private boolean polls() {
        return context.client().options().wakeUp() == WakeUp.POLL;
    }

    private void wakeUpFor(Settlement settlement) {
        if (polls()) {
            if (settlement instanceof Settlement.Ended ended && ended.delay() != null) {
                subscriptions.wakeUp(context.topic(), TimeUnit.MICROSECONDS.convert(ended.delay()));
            } else if (settlement instanceof Settlement.Release) {
                subscriptions.wakeUp(context.topic(), 0);
            }
        }
    }

    private CompletableFuture<Boolean> call(
            ReceiptData receipt, Function<InFlightMessage, CompletableFuture<Boolean>> call) {
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            return CompletableFuture.failedFuture(new ClientOverloadedException(
                    MAX_WAITING + " settlements of topic '" + context.topic() + "' wait for Redis: nothing was sent",
                    context.topic(),
                    receipt.id(),
                    null));
        }
        return hasPartition(receipt.partition())
                .thenCompose(known -> {
                    if (!known) {
                        return CompletableFuture.completedFuture(false);
                    }
                    InFlightMessage message = Receipts.message(receipt);
                    // a stop waits for it
                    settlements.add(message);
                    return call.apply(message);
                })
                .whenComplete((held, error) -> waiting.decrementAndGet());
    }

    /** Another process may have claimed from a partition that this one does not know yet. */
    private CompletableFuture<Boolean> hasPartition(int number) {
        if (number < partitions.count()) {
            return CompletableFuture.completedFuture(true);
        }
        return context.client().partitions().ask(context.topic()).thenApply(partitioning -> {
            partitions.consume(partitioning.partitions());
            return number < partitions.count();
        });
    }
}
