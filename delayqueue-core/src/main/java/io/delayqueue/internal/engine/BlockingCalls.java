package io.delayqueue.internal.engine;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.internal.store.MessageStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The calls of a client that block until they are answered, or for the time that the options allow. */
record BlockingCalls(CallChecks checks, MessageScheduler scheduler, MessageCalls calls, DelayQueueOptions options) {

    ScheduleResult schedule(OutgoingMessage message) {
        checks.requireOpen(message.topic());
        Duration timeout = scheduleTimeout(1);
        long begunNanos = System.nanoTime();
        CompletableFuture<ScheduleResult> answer = scheduler.schedule(message, timeout);
        return new BlockingCall(timeout, System.nanoTime() - begunNanos).await(answer, message.topic(), message.id());
    }

    List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages) {
        checks.requireOpen(null);
        Duration timeout = scheduleTimeout(BulkSchedule.batches(messages));
        long begunNanos = System.nanoTime();
        BulkSchedule bulk = scheduler.scheduleAll(List.copyOf(messages), timeout);
        return bulk.await(new BlockingCall(timeout, System.nanoTime() - begunNanos));
    }

    /** Each batch in turn may take as long as one command. Replicas are waited for after it, and before it for other batches. */
    private Duration scheduleTimeout(long batches) {
        Duration replicas = options.waitForReplicas() == 0
                ? Duration.ZERO
                : options.waitForReplicasTimeout().multipliedBy(2);
        return options.commandTimeout().plus(replicas).multipliedBy(batches);
    }

    CancelOutcome cancel(String topic, String id) {
        checks.requireMessage(topic, id);
        return await(calls.cancel(topic, id), topic, id);
    }

    Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids) {
        checks.requireMessages(topic, ids);
        int batches = 1 + ids.size() / MessageStore.LARGEST_BATCH;
        BlockingCall call = new BlockingCall(options.commandTimeout().multipliedBy(batches));
        return calls.cancelAll(topic, ids).await(call);
    }

    RescheduleOutcome reschedule(String topic, String id, Delay delay) {
        checks.requireMessage(topic, id);
        return await(calls.reschedule(topic, id, delay), topic, id);
    }

    Optional<MessageInfo> find(String topic, String id) {
        checks.requireMessage(topic, id);
        return await(calls.find(topic, id), topic, id);
    }

    private <T> T await(CompletableFuture<T> answer, String topic, String id) {
        return new BlockingCall(options.commandTimeout()).await(answer, topic, id);
    }
}
