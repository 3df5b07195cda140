package io.delayqueue.internal.redis;

import java.util.concurrent.CompletableFuture;

/** Runs scripts whose writes count only once enough replicas have them, over connections of its own. */
interface ReplicatedScripts extends PartitionScripts {

    /** Closes the connections. */
    CompletableFuture<Void> close();
}
