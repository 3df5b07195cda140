package io.delayqueue.internal.redis;

import io.delayqueue.internal.store.Partition;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Runs a script on the keys of one partition, and answers when what it wrote is as safe as it is to be. */
interface PartitionScripts {

    <R, T> CompletableFuture<T> run(
            Script script, Partition partition, Arguments arguments, Function<? super R, ? extends T> decoder);
}
