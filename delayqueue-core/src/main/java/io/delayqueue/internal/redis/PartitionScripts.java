package io.delayqueue.internal.redis;

import io.delayqueue.internal.store.Partition;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Runs scripts on the keys of one partition, and answers once their writes are as durable as the options ask for. */
interface PartitionScripts {

    <R, T> CompletableFuture<T> run(
            Script script, Partition partition, Arguments arguments, Function<? super R, ? extends T> decoder);
}
