package io.delayqueue.internal.engine;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.MessageInfo;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.engine.shared.Withdrawable;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** The calls about one message that exists. An answer given up withdraws a call that was not sent yet. */
final class MessageCalls {

    private final ClientContext client;
    private final MessageStore store;
    private final CallFailures failures;
    private final BiConsumer<String, Long> earlierHead;

    /**
     * Makes the calls.
     *
     * @param earlierHead told the topic, and the µs until its new first message is due
     */
    MessageCalls(ClientContext client, CallFailures failures, BiConsumer<String, Long> earlierHead) {
        this.client = client;
        this.store = client.store();
        this.failures = failures;
        this.earlierHead = earlierHead;
    }

    CompletableFuture<CancelOutcome> cancel(String topic, String id) {
        long beganNanos = System.nanoTime();
        return Withdrawable.map(
                call(
                        topic,
                        id,
                        partition -> Withdrawable.map(store.cancel(partition, List.of(id)), all -> all.get(0)),
                        outcome -> outcome != CancelOutcome.NOT_FOUND),
                outcome -> {
                    if (outcome == CancelOutcome.CANCELLED) {
                        client.observer().call(observer -> observer.cancelled(topic, id, since(beganNanos)));
                    }
                    return outcome;
                });
    }

    BulkCancel cancelAll(String topic, Collection<String> ids) {
        BulkCancel bulk = new BulkCancel(topic, List.copyOf(new LinkedHashSet<>(ids)), client, failures);
        bulk.start();
        return bulk;
    }

    CompletableFuture<RescheduleOutcome> reschedule(String topic, String id, Delay delay) {
        long beganNanos = System.nanoTime();
        return Withdrawable.map(
                call(
                        topic,
                        id,
                        partition -> store.reschedule(partition, List.of(id), delay),
                        answer -> answer.outcomes().get(0) != RescheduleOutcome.NOT_FOUND),
                answer -> {
                    if (answer.outcomes().get(0) == RescheduleOutcome.RESCHEDULED) {
                        client.observer().call(observer -> observer.rescheduled(topic, id, delay, since(beganNanos)));
                        earlierHead.accept(topic, answer.waitMicros());
                    }
                    return answer.outcomes().get(0);
                });
    }

    CompletableFuture<Optional<MessageInfo>> find(String topic, String id) {
        return call(topic, id, partition -> store.find(partition, id), Optional::isPresent);
    }

    private static Duration since(long beganNanos) {
        return Duration.ofNanos(System.nanoTime() - beganNanos);
    }

    private <T> CompletableFuture<T> call(
            String topic, String id, Function<Partition, CompletableFuture<T>> call, Predicate<T> found) {
        CompletableFuture<T> answer =
                client.partitions().with(topic, partitioning -> firstFound(partitioning.candidates(id), call, found));
        return Withdrawable.mapError(answer, error -> failures.of(topic, id, error));
    }

    /** Asks one partition after the other until one has the message; else the answer is the last one's. */
    private static <T> CompletableFuture<T> firstFound(
            List<Partition> candidates, Function<Partition, CompletableFuture<T>> call, Predicate<T> found) {
        CompletableFuture<T> first = call.apply(candidates.get(0));
        return candidates.size() == 1
                ? first
                : Withdrawable.compose(
                        first,
                        answer -> found.test(answer)
                                ? CompletableFuture.completedFuture(answer)
                                : firstFound(candidates.subList(1, candidates.size()), call, found));
    }
}
