package io.delayqueue.internal.engine;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.TopicFullException;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.engine.shared.GroupCommit;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.ScheduleAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Schedules the messages of one partition in batches of concurrent calls, one batch after the other. */
final class ScheduleBatcher extends GroupCommit<OutgoingMessage, ScheduleResult> {

    /** A batch waits at most this long for concurrent callers: about the time in which an answered caller calls again. */
    private static final long GATHER_MICROS = 200;

    private final ClientContext client;
    private final Partition partition;
    private final String topic;
    private final BiConsumer<String, Long> earlierHead;

    ScheduleBatcher(ClientContext client, Partition partition, BiConsumer<String, Long> earlierHead) {
        this.client = client;
        this.partition = partition;
        this.topic = partition.topic();
        this.earlierHead = earlierHead;
    }

    /** Callers that were answered together often call again at once: then they go together again. A lone caller never waits. */
    @Override
    protected boolean mayGather(int waiting, int recentBatchSize) {
        return waiting < Math.min(recentBatchSize, MessageStore.LARGEST_BATCH);
    }

    @Override
    protected boolean sendLater(Runnable task) {
        try {
            client.timer().schedule(task, GATHER_MICROS, TimeUnit.MICROSECONDS);
            return true;
        } catch (RejectedExecutionException closed) {
            return false;
        }
    }

    @Override
    protected CompletableFuture<List<@Nullable ScheduleResult>> send(List<OutgoingMessage> batch) {
        return client.store()
                .schedule(partition, batch)
                .whenComplete((answer, error) -> {
                    if (error != null && FutureErrors.unwrap(error) instanceof ReplicationTimeoutException) {
                        // the primary has the messages all the same
                        earlierHead.accept(topic, 0L);
                    }
                })
                .thenApply(answer -> {
                    if (answer.headWaitMicros() >= 0) {
                        earlierHead.accept(topic, answer.headWaitMicros());
                    }
                    return results(batch, answer);
                });
    }

    private List<@Nullable ScheduleResult> results(List<OutgoingMessage> batch, ScheduleAnswer answer) {
        List<@Nullable ScheduleResult> results = new ArrayList<>(batch.size());
        int count = 0;
        for (int i = 0; i < batch.size(); i++) {
            ScheduleOutcome outcome = answer.outcomes().get(i);
            if (outcome == ScheduleOutcome.SCHEDULED || outcome == ScheduleOutcome.REPLACED) {
                count++;
            }
            results.add(outcome == null ? null : new ScheduleResult(batch.get(i).id(), outcome));
        }
        int accepted = count;
        if (accepted > 0) {
            client.observer().call(observer -> observer.accepted(topic, accepted));
        }
        return results;
    }

    @Override
    protected Throwable failure(OutgoingMessage message, Throwable error) {
        return error instanceof ReplicationTimeoutException few
                ? new ReplicationTimeoutException(few.replicas(), few.required(), topic, message.id(), few)
                : error;
    }

    @Override
    protected Object key(OutgoingMessage message) {
        return message.id();
    }

    @Override
    protected int weight(OutgoingMessage message) {
        return message.payload().length;
    }

    @Override
    protected Throwable refusal(OutgoingMessage message) {
        return new TopicFullException(
                "topic '" + topic + "' has reached maxPending ("
                        + client.options().topic(topic).maxPending() + "); message '" + message.id()
                        + "' was not scheduled: schedule it later, or increase the topic's maxPending",
                topic,
                message.id(),
                null);
    }
}
