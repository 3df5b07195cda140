package io.delayqueue.internal.engine;

import io.delayqueue.BulkScheduleException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The messages of one {@code scheduleAll} call, on their ways to their partitions, and the result of each. */
final class BulkSchedule {

    private final List<ScheduleRequest> requests;
    private final List<CompletableFuture<ScheduleResult>> answers;
    private final MessageScheduler scheduler;
    private final TopicPartitions partitions;
    private final AtomicInteger unanswered;
    private final CompletableFuture<Void> allAnswered = new CompletableFuture<>();

    /** @param answered told each message that has its answer */
    BulkSchedule(
            List<ScheduleRequest> requests,
            MessageScheduler scheduler,
            TopicPartitions partitions,
            Consumer<ScheduleRequest> answered) {
        this.requests = requests;
        this.scheduler = scheduler;
        this.partitions = partitions;
        this.unanswered = new AtomicInteger(requests.size());
        this.answers = new ArrayList<>(requests.size());
        for (ScheduleRequest request : requests) {
            CompletableFuture<ScheduleResult> answer = new CompletableFuture<>();
            answer.whenComplete((result, error) -> {
                answered.accept(request);
                if (unanswered.decrementAndGet() == 0) {
                    allAnswered.complete(null);
                }
            });
            answers.add(answer);
        }
        if (requests.isEmpty()) {
            allAnswered.complete(null);
        }
    }

    /** About the number of batches that messages need, by their number and bytes. */
    static long batches(List<OutgoingMessage> messages) {
        long bytes = messages.stream().mapToLong(ScheduleRequest::bytesOf).sum();
        return 1 + messages.size() / MessageStore.LARGEST_BATCH + bytes / MessageStore.LARGEST_BYTES;
    }

    /** Sends the messages on their ways, those of a topic once its partitions are known: topics don't wait for each other. */
    void start() {
        Map<String, List<Integer>> topics = new LinkedHashMap<>();
        for (int i = 0; i < requests.size(); i++) {
            topics.computeIfAbsent(requests.get(i).message().topic(), topic -> new ArrayList<>())
                    .add(i);
        }
        topics.forEach((topic, indexes) -> partitions.of(topic).whenComplete((known, error) -> {
            if (error == null) {
                route(indexes, known, MessageStore.LARGEST_BATCH / topics.size());
            } else {
                indexes.forEach(i -> fail(i, error));
            }
        }));
    }

    private void route(List<Integer> indexes, Partitioning topic, int atATime) {
        Map<List<Partition>, List<Integer>> byCandidates = new LinkedHashMap<>();
        ByPartition<Integer> located = new ByPartition<>();
        for (int i : indexes) {
            String id = requests.get(i).message().id();
            if (topic.former().isEmpty()) {
                located.add(topic.of(id), i);
            } else {
                byCandidates
                        .computeIfAbsent(topic.candidates(id), candidates -> new ArrayList<>())
                        .add(i);
            }
        }
        submit(located);
        byCandidates
                .values()
                .forEach(some -> locate(topic, some.iterator(), Math.max(1, atATime / byCandidates.size())));
    }

    /**
     * Looks messages up that may be in the same partitions, some at a time: the look-ups must not crowd out the commands of others.
     * Those of other partitions don't wait for them.
     */
    private void locate(Partitioning topic, Iterator<Integer> rest, int atATime) {
        // a loop, not recursion, for answers that are there at once
        while (rest.hasNext()) {
            Map<Integer, CompletableFuture<Partition>> some = new LinkedHashMap<>();
            while (rest.hasNext() && some.size() < atATime) {
                int next = rest.next();
                if (!answers.get(next).isDone()) {
                    some.put(next, scheduler.locate(requests.get(next).message().id(), topic));
                }
            }
            CompletableFuture<Void> answered = CompletableFuture.allOf(
                            some.values().toArray(CompletableFuture[]::new))
                    .handle((done, error) -> submit(some))
                    .thenCompose(submitted -> submitted);
            if (!answered.isDone()) {
                answered.whenComplete((done, error) -> locate(topic, rest, atATime));
                return;
            }
        }
    }

    /** Sends located messages. Completes when they are answered: so messages of one id stay in their order. */
    private CompletableFuture<Void> submit(Map<Integer, CompletableFuture<Partition>> some) {
        ByPartition<Integer> located = new ByPartition<>();
        some.forEach((i, partition) -> {
            if (partition.isCompletedExceptionally()) {
                partition.whenComplete((value, error) -> fail(i, error));
            } else {
                located.add(partition.join(), i);
            }
        });
        submit(located);
        return CompletableFuture.allOf(some.keySet().stream().map(answers::get).toArray(CompletableFuture[]::new));
    }

    private void fail(int index, Throwable error) {
        answers.get(index).completeExceptionally(FutureErrors.unwrap(error));
    }

    /** The results; if the future is given up, messages that were not sent are withdrawn. */
    CompletableFuture<List<ScheduleResult>> results() {
        CompletableFuture<List<ScheduleResult>> results = new CompletableFuture<>();
        allAnswered.whenComplete((done, error) -> {
            try {
                results.complete(conclude());
            } catch (BulkScheduleException e) {
                results.completeExceptionally(e);
            }
        });
        results.whenComplete((value, error) -> giveUp(new CancellationException("the call was cancelled")));
        return results;
    }

    /**
     * Waits for the results.
     *
     * @throws BulkScheduleException if a message failed, or was not answered in time
     */
    List<ScheduleResult> await(BlockingCall call) {
        call.awaitParts(allAnswered, this::giveUp);
        return conclude();
    }

    /** Ends the messages that are not answered. */
    private void giveUp(Throwable error) {
        if (allAnswered.isDone()) {
            return;
        }
        answers.forEach(answer -> answer.completeExceptionally(error));
    }

    private List<ScheduleResult> conclude() {
        List<ScheduleResult> results = new ArrayList<>(answers.size());
        for (CompletableFuture<ScheduleResult> answer : answers) {
            if (answer.isCompletedExceptionally()) {
                throw failure();
            }
            results.add(answer.join());
        }
        return results;
    }

    private BulkScheduleException failure() {
        List<BulkScheduleException.Entry> entries = new ArrayList<>(answers.size());
        List<DelayQueueException> failures = new ArrayList<>();
        for (int i = 0; i < answers.size(); i++) {
            OutgoingMessage message = requests.get(i).message();
            entries.add(answers.get(i)
                    .handle((result, error) -> {
                        if (error == null) {
                            return new BulkScheduleException.Entry(message, result, null);
                        }
                        DelayQueueException failure = scheduler.failure(message, FutureErrors.unwrap(error));
                        failures.add(failure);
                        return new BulkScheduleException.Entry(message, null, failure);
                    })
                    .join());
        }
        return new BulkScheduleException(entries, failures.get(0));
    }

    private void submit(ByPartition<Integer> indexes) {
        indexes.forEach((partition, part) -> scheduler.submitAll(
                partition,
                part.stream().map(requests::get).toList(),
                part.stream().map(answers::get).toList()));
    }
}
