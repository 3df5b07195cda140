package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Schedules messages: checks them, picks the partition of each, and leaves batches of concurrent calls to its batcher. Thread-safe. */
final class MessageScheduler {

    /** Names and values of all headers of a message: an envelope is read whole, so its headers must stay small. */
    private static final int MAX_HEADER_CHARS = 64 * 1024;

    private final ClientContext client;
    private final BiConsumer<String, Long> earlierHead;
    private final Map<Partition, ScheduleBatcher> batchers = new ConcurrentHashMap<>();
    /** When a topic was registered last, by {@link System#nanoTime()}. */
    private final Map<String, Long> registered = new ConcurrentHashMap<>();

    /** @param earlierHead told the topic, and the µs until its new first message is due */
    MessageScheduler(ClientContext client, BiConsumer<String, Long> earlierHead) {
        this.client = client;
        this.earlierHead = earlierHead;
    }

    CompletableFuture<ScheduleResult> schedule(OutgoingMessage message) {
        check(message);
        return client.partitions().with(message.topic(), partitioning -> schedule(message, partitioning));
    }

    private CompletableFuture<ScheduleResult> schedule(OutgoingMessage message, Partitioning partitioning) {
        List<Partition> candidates = partitioning.candidates(message.id());
        return candidates.size() == 1
                ? submit(message, candidates.get(0))
                : partitionOf(message.id(), candidates).thenCompose(partition -> submit(message, partition));
    }

    private CompletableFuture<ScheduleResult> submit(OutgoingMessage message, Partition partition) {
        register(message.topic());
        return batcher(partition).submit(message);
    }

    /** The partition that has the message, if it was scheduled when there were fewer; else the one for new messages. */
    private CompletableFuture<Partition> partitionOf(String id, List<Partition> candidates) {
        CompletableFuture<Partition> answer = CompletableFuture.completedFuture(candidates.get(0));
        for (Partition former : candidates.subList(1, candidates.size())) {
            answer = answer.thenCombine(
                    client.store().present(former, List.of(id)),
                    (found, present) -> present.isEmpty() ? found : former);
        }
        return answer;
    }

    CompletableFuture<List<ScheduleResult>> scheduleAll(List<OutgoingMessage> messages) {
        messages.forEach(this::check);
        List<@Nullable CompletableFuture<ScheduleResult>> answers =
                new ArrayList<>(Collections.nCopies(messages.size(), null));
        Map<Partition, List<Integer>> byPartition = new LinkedHashMap<>();
        for (int i = 0; i < messages.size(); i++) {
            OutgoingMessage message = messages.get(i);
            Partitioning partitioning = client.partitions().known(message.topic());
            if (partitioning == null || !partitioning.former().isEmpty()) {
                answers.set(i, schedule(message));
            } else {
                byPartition
                        .computeIfAbsent(partitioning.of(message.id()), partition -> new ArrayList<>())
                        .add(i);
            }
        }
        byPartition.forEach((partition, indexes) -> scheduleTogether(partition, indexes, messages, answers));
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
    }

    private void scheduleTogether(
            Partition partition,
            List<Integer> indexes,
            List<OutgoingMessage> messages,
            List<@Nullable CompletableFuture<ScheduleResult>> answers) {
        register(partition.topic());
        List<CompletableFuture<ScheduleResult>> submitted =
                batcher(partition).submitAll(indexes.stream().map(messages::get).toList());
        for (int i = 0; i < indexes.size(); i++) {
            OutgoingMessage message = messages.get(indexes.get(i));
            answers.set(
                    indexes.get(i),
                    client.partitions()
                            .repeatIfChanged(
                                    partition.topic(),
                                    submitted.get(i),
                                    partitioning -> schedule(message, partitioning)));
        }
    }

    /**
     * Registers a topic for discovery; again once a guard interval, since a server that was emptied, or replaced by a replica that
     * lagged, has forgotten it.
     */
    void register(String topic) {
        long now = System.nanoTime();
        Long last = registered.get(topic);
        if (last != null && now - last < client.options().guardInterval().toNanos()) {
            return;
        }
        registered.put(topic, now);
        client.store().register(topic).whenComplete((done, error) -> {
            if (error != null) {
                registered.remove(topic, now);
            }
        });
        client.retention().check(topic);
    }

    /** Registers a topic that was deleted as if it were new. */
    void forget(String topic) {
        registered.remove(topic);
    }

    private void check(OutgoingMessage message) {
        DelayQueueOptions options = client.options();
        int size = message.payload().length;
        if (size > options.maxPayload()) {
            throw new IllegalArgumentException("the payload of message '" + message.id() + "' for topic '"
                    + message.topic() + "' has " + size + " bytes, more than maxPayload (" + options.maxPayload()
                    + "): keep large content elsewhere and schedule a reference to it");
        }
        int headers = 0;
        for (Map.Entry<String, String> header : message.headers().entrySet()) {
            headers += header.getKey().length() + header.getValue().length();
        }
        if (headers > MAX_HEADER_CHARS) {
            throw new IllegalArgumentException("the headers of message '" + message.id() + "' for topic '"
                    + message.topic() + "' have " + headers + " characters, more than " + MAX_HEADER_CHARS);
        }
    }

    private ScheduleBatcher batcher(Partition partition) {
        ScheduleBatcher known = batchers.get(partition);
        return known != null
                ? known
                : batchers.computeIfAbsent(partition, of -> new ScheduleBatcher(client, of, earlierHead));
    }
}
