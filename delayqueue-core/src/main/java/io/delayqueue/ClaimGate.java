package io.delayqueue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Holds back a consumer's claims after each new connection to Redis, until the gate has checked that Redis still has its data. A restart
 * or a failover breaks connections, and may bring back messages that were finished. A claim that was not answered when the connection
 * broke is not sent over the next one before the gate is asked. On a Cluster, each server has a connection of its own: one that breaks
 * holds back the partitions of its server. See {@link DelayQueueOptions.Builder#claimGate}.
 */
@FunctionalInterface
public interface ClaimGate {

    /** A gate that is always open. */
    ClaimGate OPEN = (topic, partition) -> CompletableFuture.completedFuture(null);

    /**
     * Called before the first claim of a partition over a new connection, once for each consumer. It must not block, as its threads serve
     * all topics; it may use futures of the client. Other partitions do not wait for it.
     *
     * @return completes, normally or with an exception, when the partition may be claimed; nothing of the partition is delivered before
     */
    CompletionStage<Void> beforeClaims(String topic, int partition);
}
