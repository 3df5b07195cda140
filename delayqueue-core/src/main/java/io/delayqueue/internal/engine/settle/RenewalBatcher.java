package io.delayqueue.internal.engine.settle;

import io.delayqueue.internal.engine.shared.GroupCommit;
import io.delayqueue.internal.store.Extension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Renews the leases of one partition in batches, one batch after the other. The answer is whether the lease was still held. */
final class RenewalBatcher extends GroupCommit<RenewalBatcher.Renewal, Boolean> {

    private final LeaseCalls calls;

    RenewalBatcher(LeaseCalls calls) {
        this.calls = calls;
    }

    @Override
    protected CompletableFuture<List<@Nullable Boolean>> send(List<Renewal> batch) {
        long sentNanos = System.nanoTime();
        return calls.retryUntilAnswered((store, id) -> store.extend(
                        calls.partition(),
                        id,
                        batch.stream()
                                .map(renewal -> new Extension(
                                        renewal.message.lease(), renewal.lease, renewal.mode, renewal.message.held()))
                                .toList()))
                .thenApply(receipts -> {
                    List<@Nullable Boolean> held = new ArrayList<>(batch.size());
                    for (int i = 0; i < batch.size(); i++) {
                        held.add(answered(batch.get(i), receipts.get(i), sentNanos));
                    }
                    return held;
                });
    }

    private boolean answered(Renewal renewal, long receipt, long sentNanos) {
        if (receipt < 0) {
            calls.leaseLost(renewal.message);
            return false;
        }
        renewal.message.renewed(receipt, sentNanos + renewal.lease.toNanos());
        return true;
    }

    @Override
    protected Object key(Renewal renewal) {
        return renewal.message.message().id();
    }

    @Override
    protected int weight(Renewal renewal) {
        return 0;
    }

    @Override
    protected Throwable refusal(Renewal renewal) {
        return calls.givenUp(renewal.message);
    }

    /**
     * A lease to be renewed.
     *
     * @param lease from now
     * @param mode what the renewal changes
     */
    record Renewal(InFlightMessage message, Duration lease, Extension.Mode mode) {}
}
