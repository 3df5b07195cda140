package io.delayqueue.internal.engine;

import io.delayqueue.BulkCancelException;
import io.delayqueue.CancelOutcome;
import io.delayqueue.DelayQueueException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.PartitionsChangedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The ids of one {@code cancelAll} call, and the outcome of each. Cancels one batch after the other. */
final class BulkCancel {

    private final String topic;
    private final List<String> ids;
    private final ClientContext client;
    private final CallFailures callFailures;
    private final Map<String, CancelOutcome> outcomes = new ConcurrentHashMap<>();
    private final Map<String, Throwable> failures = new ConcurrentHashMap<>();
    private final CompletableFuture<Void> allAnswered = new CompletableFuture<>();
    /** Partitions whose server does not answer, and why: each further batch would wait for as long. */
    private final Map<Partition, Throwable> stopped = new ConcurrentHashMap<>();

    /** @param ids distinct */
    BulkCancel(String topic, List<String> ids, ClientContext client, CallFailures callFailures) {
        this.topic = topic;
        this.ids = ids;
        this.client = client;
        this.callFailures = callFailures;
    }

    void start() {
        cancelFrom(0);
    }

    private void cancelFrom(int start) {
        // a loop, not recursion, for answers that are there at once
        for (int from = start; from < ids.size() && !allAnswered.isDone(); ) {
            int to = Math.min(ids.size(), from + MessageStore.LARGEST_BATCH);
            CompletableFuture<Void> answered = cancel(ids.subList(from, to), 1);
            if (!answered.isDone()) {
                answered.whenComplete((done, error) -> cancelFrom(to));
                return;
            }
            from = to;
        }
        allAnswered.complete(null);
    }

    private CompletableFuture<Void> cancel(List<String> some, int attempt) {
        return client.partitions()
                .of(topic)
                .thenCompose(partitioning -> cancel(some, partitioning, 0, attempt))
                .exceptionally(error -> fail(some, error));
    }

    /** Cancels messages in the present partitions, or in those by a former partition count. Never fails. */
    private CompletableFuture<Void> cancel(List<String> some, Partitioning partitioning, int candidate, int attempt) {
        long beganNanos = System.nanoTime();
        if (allAnswered.isDone()) {
            // given up meanwhile
            return allAnswered;
        }
        ByPartition<String> parts = new ByPartition<>();
        for (String id : some) {
            List<Partition> candidates = partitioning.candidates(id);
            if (candidate < candidates.size()) {
                parts.add(candidates.get(candidate), id);
            }
        }
        return CompletableFuture.allOf(parts.map((partition, ids) -> cancel(partition, ids)
                        .thenApply(answers -> take(ids, answers, beganNanos))
                        .thenCompose(missing -> missing.isEmpty()
                                ? CompletableFuture.<Void>completedFuture(null)
                                : cancel(missing, partitioning, candidate + 1, attempt))
                        .exceptionallyCompose(error -> repeatIfChanged(ids, error, attempt)))
                .toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<List<CancelOutcome>> cancel(Partition partition, List<String> some) {
        Throwable reason = stopped.get(partition);
        if (reason != null) {
            return CompletableFuture.failedFuture(new UnsentException(reason));
        }
        return client.store().cancel(partition, some).whenComplete((answers, error) -> {
            if (error != null && FutureErrors.unwrap(error) instanceof RedisUnavailableException unavailable) {
                stopped.put(partition, unavailable);
            }
        });
    }

    /** Takes the outcomes over. Returns the messages that were not found. */
    private List<String> take(List<String> some, List<CancelOutcome> answers, long beganNanos) {
        Duration ago = Duration.ofNanos(System.nanoTime() - beganNanos);
        List<String> missing = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            String id = some.get(i);
            outcomes.put(id, answers.get(i));
            if (answers.get(i) == CancelOutcome.NOT_FOUND) {
                missing.add(id);
            } else if (answers.get(i) == CancelOutcome.CANCELLED) {
                client.observer().call(observer -> observer.cancelled(topic, id, ago));
            }
        }
        return missing;
    }

    private CompletableFuture<Void> repeatIfChanged(List<String> some, Throwable error, int attempt) {
        Throwable cause = FutureErrors.unwrap(error);
        if (cause instanceof PartitionsChangedException changed && attempt < TopicPartitions.MAX_ATTEMPTS) {
            return client.partitions()
                    .update(topic, changed.partitions())
                    .thenCompose(partitioning -> cancel(some, partitioning, 0, attempt + 1))
                    .exceptionally(failure -> fail(some, failure));
        }
        fail(some, cause);
        return CompletableFuture.completedFuture(null);
    }

    private @Nullable Void fail(List<String> some, Throwable error) {
        some.forEach(id -> failures.put(id, FutureErrors.unwrap(error)));
        return null;
    }

    /** The outcomes; if the future is given up, batches that were not sent are withdrawn. */
    CompletableFuture<Map<String, CancelOutcome>> results() {
        CompletableFuture<Map<String, CancelOutcome>> results = new CompletableFuture<>();
        allAnswered.whenComplete((done, error) -> {
            try {
                results.complete(conclude(new CancellationException("the call was cancelled")));
            } catch (BulkCancelException e) {
                results.completeExceptionally(e);
            }
        });
        results.whenComplete((value, error) -> allAnswered.complete(null));
        return results;
    }

    /**
     * Waits for the outcomes.
     *
     * @throws BulkCancelException if an id failed, or was not answered in time
     */
    Map<String, CancelOutcome> await(BlockingCall call) {
        AtomicReference<Throwable> reason = new AtomicReference<>(new IllegalStateException("no answer"));
        call.awaitParts(allAnswered, error -> {
            reason.set(error);
            allAnswered.complete(null);
        });
        return conclude(Objects.requireNonNull(reason.get()));
    }

    private Map<String, CancelOutcome> conclude(Throwable unanswered) {
        Map<String, CancelOutcome> answered = new LinkedHashMap<>();
        Map<String, DelayQueueException> failed = new LinkedHashMap<>();
        for (String id : ids) {
            CancelOutcome outcome = outcomes.get(id);
            Throwable failure = failures.get(id);
            if (outcome != null && failure == null) {
                answered.put(id, outcome);
            } else {
                failed.put(id, callFailures.of(topic, id, failure != null ? failure : unanswered));
            }
        }
        if (!failed.isEmpty()) {
            throw new BulkCancelException(topic, answered, failed);
        }
        return answered;
    }
}
