package io.delayqueue.spring;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sends at once, even inside a transaction. */
record ImmediateSender(DelayQueueClient client) implements MessageSender {

    @Override
    public ScheduleResult send(OutgoingMessage message) {
        return client.schedule(message);
    }

    @Override
    public CompletableFuture<ScheduleResult> sendAsync(OutgoingMessage message) {
        return client.scheduleAsync(message);
    }

    @Override
    public List<ScheduleResult> sendAll(List<OutgoingMessage> messages) {
        return client.scheduleAll(messages);
    }

    @Override
    public CompletableFuture<List<ScheduleResult>> sendAllAsync(List<OutgoingMessage> messages) {
        return client.scheduleAllAsync(messages);
    }
}
