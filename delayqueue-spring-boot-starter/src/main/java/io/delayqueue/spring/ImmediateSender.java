package io.delayqueue.spring;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Sends at once, even inside a transaction. */
record ImmediateSender(DelayQueueClient client) implements MessageSender {

    @Override
    public ScheduleResult schedule(OutgoingMessage message) {
        return client.schedule(message);
    }

    @Override
    public CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message) {
        return client.scheduleAsync(message);
    }

    @Override
    public List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages) {
        return client.scheduleAll(messages);
    }

    @Override
    public CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages) {
        return client.scheduleAllAsync(messages);
    }

    @Override
    public CancelOutcome cancel(String topic, String id) {
        return client.cancel(topic, id);
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
        return client.cancelAsync(topic, id);
    }

    @Override
    public Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids) {
        return client.cancelAll(topic, ids);
    }

    @Override
    public CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids) {
        return client.cancelAllAsync(topic, ids);
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Delay delay) {
        return client.reschedule(topic, id, delay);
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay) {
        return client.rescheduleAsync(topic, id, delay);
    }
}
