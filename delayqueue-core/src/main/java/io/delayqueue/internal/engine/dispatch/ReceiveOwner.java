package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.concurrent.CompletableFuture;

/** The pull consumer that the waiting calls belong to. Called without a lock. */
public interface ReceiveOwner {

    /** More messages can be claimed. */
    void capacityFreed(Capacity capacity);

    /** Claims at once what is due. The answer completes after the claims that there is capacity for; further ones may be under way. */
    CompletableFuture<Void> claimNow();

    /** A claimed message finds no call any more that waits for it. */
    void unwanted(InFlightMessage message);
}
