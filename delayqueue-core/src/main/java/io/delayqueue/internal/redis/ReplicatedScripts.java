package io.delayqueue.internal.redis;

import java.util.concurrent.CompletableFuture;

/** Answers when replicas have what was written. Has connections of its own. */
interface ReplicatedScripts extends PartitionScripts {

    /** Closes them. */
    CompletableFuture<Void> close();
}
