package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicFullException;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.ScheduleAnswer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Takes messages in: checks them, makes batches of concurrent calls, sends one batch a partition at a time. */
final class MessageScheduler {

    private static final int MOST_HEADER_CHARS = 64 * 1024;

    /** How long concurrent callers may be waited for: about what it takes them to come back. */
    private static final long GATHER_MICROS = 200;

    private final MessageStore store;
    private final DelayQueueOptions options;
    private final Observers observers;
    private final TopicPartitions layouts;
    private final BiConsumer<String, Long> earlierHead;
    private final ScheduledExecutorService timer;
    private final Map<Partition, PartitionScheduler> partitions = new ConcurrentHashMap<>();
    /** When a topic was made known last, by {@link System#nanoTime()}. */
    private final Map<String, Long> registered = new ConcurrentHashMap<>();

    /** @param earlierHead told the topic, and the µs until its new first message is due */
    MessageScheduler(
            MessageStore store,
            DelayQueueOptions options,
            Observers observers,
            TopicPartitions layouts,
            BiConsumer<String, Long> earlierHead,
            ScheduledExecutorService timer) {
        this.store = store;
        this.options = options;
        this.observers = observers;
        this.layouts = layouts;
        this.earlierHead = earlierHead;
        this.timer = timer;
    }

    CompletableFuture<ScheduleResult> schedule(OutgoingMessage message) {
        check(message);
        return layouts.with(message.topic(), layout -> scheduleBy(layout, message));
    }

    private CompletableFuture<ScheduleResult> scheduleBy(Partitioning layout, OutgoingMessage message) {
        List<Partition> candidates = layout.candidates(message.id());
        return candidates.size() == 1
                ? intake(candidates.get(0)).submit(message)
                : placeOf(message.id(), candidates)
                        .thenCompose(partition -> intake(partition).submit(message));
    }

    /** Where the message is, if it was scheduled when there were fewer partitions; else where new ones go. */
    private CompletableFuture<Partition> placeOf(String id, List<Partition> candidates) {
        CompletableFuture<Partition> place = CompletableFuture.completedFuture(candidates.get(0));
        for (Partition former : candidates.subList(1, candidates.size())) {
            place = place.thenCombine(
                    store.present(former, List.of(id)), (found, present) -> present.isEmpty() ? found : former);
        }
        return place;
    }

    CompletableFuture<List<ScheduleResult>> scheduleAll(List<OutgoingMessage> messages) {
        messages.forEach(this::check);
        List<@Nullable CompletableFuture<ScheduleResult>> answers =
                new ArrayList<>(Collections.nCopies(messages.size(), null));
        Map<Partition, List<Integer>> together = new LinkedHashMap<>();
        for (int i = 0; i < messages.size(); i++) {
            OutgoingMessage message = messages.get(i);
            Partitioning layout = layouts.known(message.topic());
            if (layout == null || !layout.former().isEmpty()) {
                answers.set(i, schedule(message));
            } else {
                together.computeIfAbsent(layout.of(message.id()), partition -> new ArrayList<>())
                        .add(i);
            }
        }
        together.forEach((partition, places) -> {
            List<CompletableFuture<ScheduleResult>> ofPartition = intake(partition)
                    .submitAll(places.stream().map(messages::get).toList());
            for (int i = 0; i < places.size(); i++) {
                OutgoingMessage message = messages.get(places.get(i));
                answers.set(
                        places.get(i),
                        layouts.again(partition.topic(), ofPartition.get(i), layout -> scheduleBy(layout, message)));
            }
        });
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
    }

    /**
     * Makes a topic known for discovery; again once a guard interval, since a server that was emptied, or replaced by a
     * replica that lagged, may know it no more.
     */
    void register(String topic) {
        long now = System.nanoTime();
        Long last = registered.get(topic);
        if (last != null && now - last < options.guardInterval().toNanos()) {
            return;
        }
        registered.put(topic, now);
        store.register(topic).whenComplete((done, error) -> {
            if (error != null) {
                registered.remove(topic, now);
            }
        });
    }

    private void check(OutgoingMessage message) {
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
        if (headers > MOST_HEADER_CHARS) {
            throw new IllegalArgumentException("the headers of message '" + message.id() + "' for topic '"
                    + message.topic() + "' have " + headers + " characters, more than " + MOST_HEADER_CHARS);
        }
    }

    private PartitionScheduler intake(Partition partition) {
        PartitionScheduler known = partitions.get(partition);
        return known != null ? known : partitions.computeIfAbsent(partition, PartitionScheduler::new);
    }

    /** One partition's way in. */
    private final class PartitionScheduler extends GroupCommit<OutgoingMessage, ScheduleResult> {

        private final Partition partition;
        private final String topic;

        private PartitionScheduler(Partition partition) {
            this.partition = partition;
            this.topic = partition.topic();
        }

        /** Whoever has just been answered often calls again at once: then all go together. A caller alone never waits. */
        @Override
        boolean mayGather(int waiting, int crowd) {
            return waiting < Math.min(crowd, MessageStore.LARGEST_BATCH);
        }

        @Override
        boolean later(Runnable task) {
            try {
                timer.schedule(task, GATHER_MICROS, TimeUnit.MICROSECONDS);
                return true;
            } catch (RejectedExecutionException closed) {
                return false;
            }
        }

        @Override
        CompletableFuture<List<@Nullable ScheduleResult>> send(List<OutgoingMessage> batch) {
            register(topic);
            return sent(batch).thenApply(answer -> {
                if (answer.headWaitMicros() >= 0) {
                    earlierHead.accept(topic, answer.headWaitMicros());
                }
                return results(batch, answer);
            });
        }

        private CompletableFuture<ScheduleAnswer> sent(List<OutgoingMessage> batch) {
            return store.schedule(partition, batch).whenComplete((answer, error) -> {
                if (error != null && Failures.cause(error) instanceof ReplicationTimeoutException) {
                    // the primary has it all the same
                    earlierHead.accept(topic, 0L);
                }
            });
        }

        private List<@Nullable ScheduleResult> results(List<OutgoingMessage> batch, ScheduleAnswer answer) {
            List<@Nullable ScheduleResult> results = new ArrayList<>(batch.size());
            int accepted = 0;
            for (int i = 0; i < batch.size(); i++) {
                ScheduleOutcome outcome = answer.outcomes().get(i);
                if (outcome == ScheduleOutcome.SCHEDULED || outcome == ScheduleOutcome.REPLACED) {
                    accepted++;
                }
                results.add(
                        outcome == null ? null : new ScheduleResult(batch.get(i).id(), outcome));
            }
            int scheduled = accepted;
            if (scheduled > 0) {
                observers.tell(observer -> observer.accepted(topic, scheduled));
            }
            return results;
        }

        @Override
        Throwable failure(OutgoingMessage message, Throwable error) {
            return error instanceof ReplicationTimeoutException few
                    ? new ReplicationTimeoutException(few.replicas(), few.required(), topic, message.id(), few)
                    : error;
        }

        @Override
        Object key(OutgoingMessage message) {
            return message.id();
        }

        @Override
        int weight(OutgoingMessage message) {
            return message.payload().length;
        }

        @Override
        Throwable refusal(OutgoingMessage message) {
            return new TopicFullException(
                    "topic '" + topic + "' has its most pending messages ("
                            + options.topic(topic).maxPending() + "); message '" + message.id()
                            + "' was not scheduled: schedule it later, or raise the topic's maxPending",
                    topic,
                    message.id(),
                    null);
        }
    }
}
