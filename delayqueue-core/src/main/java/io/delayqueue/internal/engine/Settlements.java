package io.delayqueue.internal.engine;

import io.delayqueue.internal.store.Partition;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;

/**
 * Settles the messages of a partition. Renewals go in a lane of their own: while an ack is not answered, the messages that
 * are still being handled keep their leases. What concerns one message goes one after the other, so that a renewal can't
 * invalidate the ack behind it.
 */
final class Settlements {

    private final SettlementBatcher renewals;
    private final SettlementBatcher endings;

    /** @param inHand how many messages of the partition are in hand, settled or not */
    Settlements(ConsumerContext context, Partition partition, String consumer, IntSupplier inHand) {
        this.renewals = new SettlementBatcher(context, partition, consumer, inHand);
        this.endings = new SettlementBatcher(context, partition, consumer, inHand);
    }

    /** Settles it once what was asked for the same message before is done. The answer is whether the lease was still held. */
    CompletableFuture<Boolean> submit(Settlement settlement) {
        SettlementBatcher lane = settlement instanceof Settlement.Extend ? renewals : endings;
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        CompletableFuture<Boolean> before = settlement.inHand().settledNext(answer);
        if (before == null || before.isDone()) {
            lane.submit(settlement, answer);
        } else {
            before.whenComplete((held, error) -> lane.submit(settlement, answer));
        }
        return answer;
    }

    /** Repeats no more: what the store does not answer now stays as it is until its lease ends. */
    void giveUp() {
        renewals.giveUp();
        endings.giveUp();
    }
}
