package io.delayqueue.internal.engine;

import io.delayqueue.internal.engine.shared.SafeObserver;
import io.delayqueue.internal.store.MessageStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Purges messages of a topic step by step, and tells the observer of each step. */
record PurgeSteps(String topic, SafeObserver observer, BlockingCall blocking) {

    /** Repeats a step until it purges less than a batch. Returns the number of purged messages. */
    long all(Supplier<CompletableFuture<List<String>>> step) {
        long total = 0;
        int count;
        do {
            count = one(step);
            total += count;
        } while (count == MessageStore.LARGEST_BATCH);
        return total;
    }

    /** One step. Returns the number of purged messages. */
    int one(Supplier<CompletableFuture<List<String>>> step) {
        return one(step, ids -> ids).size();
    }

    /**
     * One step with an answer of its own.
     *
     * @param purged ids of the purged messages, of the answer
     */
    <T> T one(Supplier<CompletableFuture<T>> step, Function<T, List<String>> purged) {
        long beganNanos = System.nanoTime();
        T answer = blocking.await(step.get(), topic, null);
        List<String> ids = purged.apply(answer);
        if (!ids.isEmpty()) {
            Duration ago = Duration.ofNanos(System.nanoTime() - beganNanos);
            observer.call(told -> told.purged(topic, ids, ago));
        }
        return answer;
    }
}
