package io.delayqueue.internal.engine;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicFullException;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.engine.shared.ThrottledLog;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.PartitionsChangedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Schedules messages: checks them, bounds how many wait, picks the partition of each, and leaves batches of concurrent calls to its
 * batcher. Thread-safe.
 */
final class MessageScheduler {

    /** A program that makes up topics must not fill the memory. */
    private static final int MAX_BATCHERS = 10_000;

    private final ClientContext client;
    private final RegisteredTopics topics;
    private final CallFailures failures;
    private final BiConsumer<String, Long> earlierHead;
    private final MessageLimits limits;
    private final WaitingLimit singles;
    private final WaitingLimit bulks;
    private final ThrottledLog duplicates = new ThrottledLog("Duplicate messages");
    private final Map<Partition, ScheduleBatcher> batchers = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** @param earlierHead told the topic, and the µs until its new first message is due */
    MessageScheduler(
            ClientContext client,
            RegisteredTopics topics,
            CallFailures failures,
            BiConsumer<String, Long> earlierHead) {
        this.client = client;
        this.topics = topics;
        this.failures = failures;
        this.earlierHead = earlierHead;
        DelayQueueOptions options = client.options();
        this.limits = new MessageLimits(options.maxPayload());
        this.singles = new WaitingLimit(options.maxWaitingMessages(), options.maxWaitingBytes());
        this.bulks = new WaitingLimit(options.maxWaitingMessages(), options.maxWaitingBytes());
    }

    private void check(OutgoingMessage message) {
        limits.check(message);
        client.options().messageCheck().check(message);
    }

    /**
     * Schedules a message.
     *
     * @param capacityTimeout how long to wait while too many others wait
     */
    CompletableFuture<ScheduleResult> schedule(OutgoingMessage message, Duration capacityTimeout) {
        check(message);
        ScheduleRequest request = ScheduleRequest.of(message, false);
        CompletableFuture<ScheduleResult> answer = new CompletableFuture<>();
        DelayQueueException refusal = addWaiting(singles, 1, request.waitingBytes(), capacityTimeout, message);
        if (refusal != null) {
            answer.completeExceptionally(refusal);
            return answer;
        }
        answer.whenComplete((result, error) -> singles.remove(1, request.waitingBytes()));
        route(request, answer);
        return answer;
    }

    /**
     * Schedules many messages.
     *
     * @param capacityTimeout how long to wait while too many others wait
     * @throws ClientOverloadedException if too many others still wait then
     */
    BulkSchedule scheduleAll(List<OutgoingMessage> messages, Duration capacityTimeout) {
        messages.forEach(this::check);
        List<ScheduleRequest> requests = messages.stream()
                .map(message -> ScheduleRequest.of(message, true))
                .toList();
        if (!requests.isEmpty()) {
            long bytes =
                    requests.stream().mapToLong(ScheduleRequest::waitingBytes).sum();
            DelayQueueException refusal = addWaiting(bulks, requests.size(), bytes, capacityTimeout, messages.get(0));
            if (refusal != null) {
                throw refusal;
            }
        }
        BulkSchedule bulk = new BulkSchedule(
                requests, this, client.partitions(), request -> bulks.remove(1, request.waitingBytes()));
        bulk.start();
        return bulk;
    }

    /** Adds the messages of a call to those that wait, or tells why not. */
    private @Nullable DelayQueueException addWaiting(
            WaitingLimit limit, int count, long bytes, Duration timeout, OutgoingMessage first) {
        String reason;
        try {
            if (limit.add(count, bytes, timeout.toNanos())) {
                return null;
            }
            reason = "too many messages of this client wait for Redis: " + limit;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            reason = "it was interrupted while it waited for capacity: " + limit;
        }
        String subject = count == 1 ? "message '" + first.id() + "'" : count + " messages, the first";
        return new ClientOverloadedException(
                subject + " to topic '" + first.topic() + "' can't be scheduled now, and nothing was sent: " + reason
                        + ". Wait for the answers of earlier calls before you make more, or increase the limit",
                first.topic(),
                first.id(),
                null);
    }

    private void route(ScheduleRequest request, CompletableFuture<ScheduleResult> answer) {
        OutgoingMessage message = request.message();
        Partitioning known = client.partitions().known(message.topic());
        if (known != null && known.former().isEmpty()) {
            submit(known.of(message.id()), request, answer);
            return;
        }
        client.partitions()
                .of(message.topic())
                .thenCompose(partitioning -> locate(message.id(), partitioning))
                .whenComplete((partition, error) -> {
                    if (error != null) {
                        answer.completeExceptionally(failure(request, FutureErrors.unwrap(error)));
                    } else if (!answer.isDone()) {
                        submit(partition, request, answer);
                    }
                });
    }

    private void submit(Partition partition, ScheduleRequest request, CompletableFuture<ScheduleResult> answer) {
        topics.register(partition.topic());
        batcher(partition).submit(request, answer);
    }

    /** Sends messages of a bulk to their partition; each has its answer in the second list. */
    void submitAll(
            Partition partition, List<ScheduleRequest> requests, List<CompletableFuture<ScheduleResult>> answers) {
        topics.register(partition.topic());
        batcher(partition).submitAll(requests, answers);
    }

    /** The partition that has the message, if it was scheduled when there were fewer; else the one for new messages. */
    CompletableFuture<Partition> locate(String id, Partitioning partitioning) {
        client.partitions().forgetFormerIfEmpty(partitioning);
        List<Partition> candidates = partitioning.candidates(id);
        CompletableFuture<Partition> answer = CompletableFuture.completedFuture(candidates.get(0));
        for (Partition former : candidates.subList(1, candidates.size())) {
            answer = answer.thenCombine(
                    client.store().present(former, List.of(id)),
                    (found, present) -> present.isEmpty() ? found : former);
        }
        return answer;
    }

    /** Sends a message to the partition that it belongs to, after the batcher of another one was refused. */
    void repeat(ScheduleRequest request, CompletableFuture<ScheduleResult> answer, PartitionsChangedException changed) {
        if (request.attempt() == TopicPartitions.MAX_ATTEMPTS) {
            answer.completeExceptionally(failure(request, changed));
            return;
        }
        client.partitions()
                .update(request.message().topic(), changed.partitions())
                .whenComplete((partitioning, error) -> {
                    if (error != null) {
                        answer.completeExceptionally(failure(request, FutureErrors.unwrap(error)));
                    } else {
                        route(request.next(), answer);
                    }
                });
    }

    /** The failure that a message's answer ends with. A bulk makes those of its messages by itself, on its caller's thread. */
    Throwable failure(ScheduleRequest request, Throwable error) {
        return request.bulk() ? error : failure(request.message(), error);
    }

    /** The message's own exception. */
    DelayQueueException failure(OutgoingMessage message, Throwable error) {
        return failures.of(message.topic(), message.id(), error);
    }

    void headIsEarlier(String topic, long waitMicros) {
        earlierHead.accept(topic, waitMicros);
    }

    /** Reports and logs messages that were rejected. */
    void duplicatesRejected(String topic, List<ScheduleResult> rejected) {
        for (ScheduleResult each : rejected) {
            MessageState existing = Objects.requireNonNull(each.existing());
            client.observer().call(observer -> observer.duplicateRejected(topic, each.id(), existing));
        }
        ScheduleResult first = rejected.get(0);
        duplicates.found(
                rejected.size(),
                "not scheduled, as their ids are taken; for example '" + first.id() + "' of topic '" + topic
                        + "', where a message is " + first.existing());
    }

    /** The failure of a message that a full topic refused. */
    TopicFullException topicFull(String topic, String id) {
        return new TopicFullException(
                "topic '" + topic + "' has reached maxPending ("
                        + client.options().topic(topic).maxPending() + "); message '" + id
                        + "' was not scheduled: schedule it later, or increase the topic's maxPending",
                topic,
                id,
                null);
    }

    private ScheduleBatcher batcher(Partition partition) {
        ScheduleBatcher known = batchers.get(partition);
        return known != null ? known : addBatcher(partition);
    }

    private ScheduleBatcher addBatcher(Partition partition) {
        if (batchers.size() >= MAX_BATCHERS) {
            batchers.values().removeIf(ScheduleBatcher::isIdle);
        }
        ScheduleBatcher batcher = batchers.computeIfAbsent(partition, of -> new ScheduleBatcher(client, of, this));
        if (closed) {
            // close() may have missed it
            close(batcher);
        }
        return batcher;
    }

    /** Fails the messages that wait, and all that come later. Those that were sent are answered when the store is closed. */
    void close() {
        closed = true;
        batchers.values().forEach(this::close);
    }

    private void close(ScheduleBatcher batcher) {
        batcher.close(request -> failure(
                request,
                new UnsentException(new DelayQueueClosedException("the delay queue is closed", null, null, null))));
    }

    long waitingMessages() {
        return singles.messages() + bulks.messages();
    }

    int rememberedPartitions() {
        return batchers.size();
    }
}
