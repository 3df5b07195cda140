package io.delayqueue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Holds a consumer's claims after each connection to Redis was opened, until somebody has looked whether Redis still has what it had
 * before. A restart or a failover breaks connections, and may bring back messages that were finished. A claim that was not answered when
 * the connection broke is not sent over the next one before the gate is asked. On a Cluster, each server has a connection of its own: one
 * that breaks holds the partitions of its server. See {@link DelayQueueOptions.Builder#claimGate}.
 */
@FunctionalInterface
public interface ClaimGate {

    /** A gate that is always open. */
    ClaimGate OPEN = (topic, partition) -> CompletableFuture.completedFuture(null);

    /**
     * Is asked before the first claim of a partition over a new connection, once for each consumer, on threads that serve all topics: must
     * not block. It may use futures of the client. Other partitions do not wait for it.
     *
     * @return completes, normally or with an exception, when the partition may be claimed; soon, as nothing is delivered until then
     */
    CompletionStage<Void> beforeClaims(String topic, int partition);
}
