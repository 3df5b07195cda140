package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.settle.Settlements;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import java.util.concurrent.CompletableFuture;

/** A run of a consumer, from start to stop, as a {@link StopSequence} and the client see it. Thread-safe. */
interface ConsumerRun {

    ConsumerContext context();

    /** The partitions that it consumes. */
    PartitionConsumers partitions();

    /** Its messages in flight, until they are settled. */
    Settlements settlements();

    /** Returns true for the caller who has to stop this run; the others wait for {@link #stopped}. */
    boolean claimStop();

    /** The answer is whether all handlers finished in time. */
    CompletableFuture<Boolean> stopped();

    /** Claims no more, and releases the messages that nobody has begun to handle. The answer completes after the last claim. */
    CompletableFuture<Void> stopClaiming();

    /** Waits until no handler runs. Returns false if that took longer. A consumer without handlers has none to wait for. */
    default boolean awaitHandlers(long nanos) throws InterruptedException {
        return true;
    }

    /** Interrupts the handlers that run, if it has any. */
    default void interruptHandlers() {}

    /** Releases the messages of handlers that ignored the interrupt, if there are any. */
    default void releaseStuck() {}

    /** Ends what still runs on the timer, and has Redis forget this consumer. The answer is that it has. */
    CompletableFuture<Void> end(boolean finished);
}
