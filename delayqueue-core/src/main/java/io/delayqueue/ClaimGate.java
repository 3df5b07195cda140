package io.delayqueue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Holds a consumer's claims after each connection to Redis was opened, until somebody has looked whether Redis still has what it had
 * before. A restart or a failover breaks connections, and may bring back messages that were finished.
 */
@FunctionalInterface
public interface ClaimGate {

    /** A gate that is always open. */
    ClaimGate OPEN = (topic, partition) -> CompletableFuture.completedFuture(null);

    /**
     * Is asked before the first claim of a partition over a new connection. Must not block.
     *
     * @return completes, in whichever way, when the partition may be claimed
     */
    CompletionStage<Void> beforeClaims(String topic, int partition);
}
