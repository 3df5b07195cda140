package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueException;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutboxReply;
import io.delayqueue.PartitionMark;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.OutboxBatch;
import io.delayqueue.internal.store.OutboxBatchAnswer;
import io.delayqueue.internal.store.OutboxBatchAnswer.Change;
import io.delayqueue.internal.store.OutboxBatchAnswer.Result;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.PartitionsChangedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One call of an outbox: its changes on their ways to their partitions, and the answer of each. Changes of one id go in waves, one after
 * the other; nearly always there is a single wave.
 */
final class OutboxSend {

    private final OutboxContext context;
    private final List<OutboxOperation> operations;
    private final long readAfterMicros;
    private final OutboxOptions options;
    private final AtomicReferenceArray<@Nullable OutboxAnswer> answers;
    /** One for each epoch: Redis may lose between two answers what it answered first. */
    private final Map<Epoch, PartitionMark> marks = new ConcurrentHashMap<>();

    /** Number of the change before each that has the same id; -1 if it is the first. */
    private final int[] previous;

    private final MessageLimits limits;

    private record Epoch(Partition partition, @Nullable String epoch) {}

    OutboxSend(OutboxContext context, List<OutboxOperation> operations, long readAfterMicros, OutboxOptions options) {
        this.context = context;
        this.operations = operations;
        this.readAfterMicros = readAfterMicros;
        this.options = options;
        this.answers = new AtomicReferenceArray<>(operations.size());
        this.previous = new int[operations.size()];
        this.limits = new MessageLimits(context.client().options().maxPayload());
    }

    /** Never fails. */
    CompletableFuture<OutboxReply> run() {
        return send(waves().iterator()).thenApply(done -> reply());
    }

    private List<List<Integer>> waves() {
        record Message(String topic, String id) {}
        Map<Message, Integer> last = new HashMap<>();
        int[] waveOf = new int[operations.size()];
        List<List<Integer>> waves = new ArrayList<>();
        for (int i = 0; i < operations.size(); i++) {
            OutboxOperation operation = operations.get(i);
            Integer before = last.put(new Message(operation.topic(), operation.id()), i);
            previous[i] = before == null ? -1 : before;
            waveOf[i] = before == null ? 0 : waveOf[before] + 1;
            if (waveOf[i] == waves.size()) {
                waves.add(new ArrayList<>());
            }
            waves.get(waveOf[i]).add(i);
        }
        return waves;
    }

    private CompletableFuture<Void> send(Iterator<List<Integer>> waves) {
        return waves.hasNext()
                ? send(waves.next()).thenCompose(done -> send(waves))
                : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Void> send(List<Integer> wave) {
        Map<String, List<Integer>> topics = new LinkedHashMap<>();
        for (int i : wave) {
            OutboxAnswer obstacle = obstacle(i);
            if (obstacle != null) {
                answers.set(i, obstacle);
            } else {
                topics.computeIfAbsent(operations.get(i).topic(), topic -> new ArrayList<>())
                        .add(i);
            }
        }
        return all(topics.entrySet().stream()
                .map(topic -> toTopic(topic.getKey(), topic.getValue(), 1))
                .toList());
    }

    /** Why a change can't be sent; null if it can. */
    private @Nullable OutboxAnswer obstacle(int index) {
        OutboxOperation operation = operations.get(index);
        OutboxAnswer before = previous[index] < 0 ? null : answers.get(previous[index]);
        if (before != null && !before.isApplied()) {
            return before.failure() == null
                    ? before
                    : OutboxAnswer.failed(new DelayQueueException(
                            "a change of message '" + operation.id() + "' of topic '" + operation.topic()
                                    + "' was not sent, since the one before it failed",
                            operation.topic(),
                            operation.id(),
                            before.failure()));
        }
        if (operation instanceof OutboxOperation.Schedule schedule) {
            try {
                limits.check(schedule.message());
            } catch (IllegalArgumentException e) {
                return OutboxAnswer.failed(
                        new DelayQueueException(String.valueOf(e.getMessage()), operation.topic(), operation.id(), e));
            }
            context.topics().register(operation.topic());
        }
        return null;
    }

    private CompletableFuture<Void> toTopic(String topic, List<Integer> indexes, int attempt) {
        return context.client()
                .partitions()
                .of(topic)
                .thenCompose(partitioning -> {
                    context.client().partitions().forgetFormerIfEmpty(partitioning);
                    return toPartitions(partitioning, indexes, 0, attempt);
                })
                .exceptionally(error -> fail(indexes, error));
    }

    /**
     * Sends changes to the partitions that may have the message, or remembers the change. The oldest partition count comes first, and
     * that of new messages last. Never fails.
     */
    private CompletableFuture<Void> toPartitions(
            Partitioning partitioning, List<Integer> indexes, int step, int attempt) {
        ByPartition<Integer> parts = new ByPartition<>();
        for (int i : indexes) {
            List<Partition> candidates =
                    partitioning.candidates(operations.get(i).id());
            parts.add(candidates.get(candidates.size() - 1 - step), i);
        }
        return all(parts.map((partition, some) -> inTurn(
                        partition, new OutboxBatches(operations, some).iterator(), new ArrayList<>())
                .thenCompose(elsewhere -> elsewhere.isEmpty()
                        ? CompletableFuture.<Void>completedFuture(null)
                        : toPartitions(partitioning, elsewhere, step + 1, attempt))
                .exceptionallyCompose(error -> repeatIfChanged(partition.topic(), some, error, attempt))));
    }

    /** Sends batches one after the other. Returns the changes whose message is in another partition. */
    private CompletableFuture<List<Integer>> inTurn(
            Partition partition, Iterator<List<Integer>> batches, List<Integer> elsewhere) {
        if (!batches.hasNext()) {
            return CompletableFuture.completedFuture(elsewhere);
        }
        List<Integer> batch = batches.next();
        List<OutboxOperation> sent = batch.stream().map(operations::get).toList();
        String knownEpoch = context.epochs().before(partition, readAfterMicros);
        long beganNanos = System.nanoTime();
        return context.client()
                .store()
                .outbox()
                .apply(partition, new OutboxBatch(sent, readAfterMicros, knownEpoch, options))
                .thenCompose(answer -> {
                    take(partition, batch, answer, beganNanos, elsewhere);
                    return inTurn(partition, batches, elsewhere);
                });
    }

    private void take(
            Partition partition,
            List<Integer> batch,
            OutboxBatchAnswer answer,
            long beganNanos,
            List<Integer> elsewhere) {
        marks.put(new Epoch(partition, answer.mark().epoch()), answer.mark());
        context.epochs().update(partition, answer.mark());
        context.memory().add(partition);
        for (int k = 0; k < batch.size(); k++) {
            OutboxOperation operation = operations.get(batch.get(k));
            Change change = answer.changes().get(k);
            if (change.result() == Result.ELSEWHERE) {
                elsewhere.add(batch.get(k));
            } else if (change.result() == Result.TOPIC_FULL) {
                answers.set(
                        batch.get(k),
                        OutboxAnswer.failed(context.scheduler().topicFull(operation.topic(), operation.id())));
            } else {
                answers.set(batch.get(k), OutboxAnswer.of(change.result().outcome(), change.repeated()));
            }
        }
        new OutboxReport(context, partition.topic(), beganNanos)
                .of(batch.stream().map(operations::get).toList(), answer);
    }

    private CompletableFuture<Void> repeatIfChanged(String topic, List<Integer> indexes, Throwable error, int attempt) {
        Throwable cause = FutureErrors.unwrap(error);
        List<Integer> unanswered =
                indexes.stream().filter(i -> answers.get(i) == null).toList();
        if (cause instanceof PartitionsChangedException changed && attempt < TopicPartitions.MAX_ATTEMPTS) {
            return context.client()
                    .partitions()
                    .update(topic, changed.partitions())
                    .thenCompose(partitioning -> toTopic(topic, unanswered, attempt + 1))
                    .exceptionally(failure -> fail(unanswered, failure));
        }
        if (cause instanceof ReplicationTimeoutException) {
            // the primary has the messages all the same
            context.earlierHead().accept(topic, 0L);
        }
        fail(unanswered, cause);
        return CompletableFuture.completedFuture(null);
    }

    private @Nullable Void fail(List<Integer> indexes, Throwable error) {
        for (int i : indexes) {
            OutboxOperation operation = operations.get(i);
            DelayQueueException own =
                    context.failures().of(operation.topic(), operation.id(), FutureErrors.unwrap(error));
            answers.compareAndSet(i, null, OutboxAnswer.failed(own));
        }
        return null;
    }

    private OutboxReply reply() {
        return new OutboxReply(
                IntStream.range(0, answers.length()).mapToObj(answers::get).toList(), List.copyOf(marks.values()));
    }

    private static CompletableFuture<Void> all(List<CompletableFuture<Void>> parts) {
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
    }
}
