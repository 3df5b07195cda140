package io.delayqueue.spring;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** The template's message: sets options on the core's builder, and schedules it by a sender. */
final class TemplateMessageSpec implements MessageSpec {

    private final OutgoingMessage.Builder message;
    private final MessageSender sender;

    TemplateMessageSpec(OutgoingMessage.Builder message, MessageSender sender) {
        this.message = message;
        this.sender = sender;
    }

    @Override
    public MessageSpec delay(Duration delay) {
        message.delay(delay);
        return this;
    }

    @Override
    public MessageSpec dueAt(Instant due) {
        message.dueAt(due);
        return this;
    }

    @Override
    public MessageSpec id(String id) {
        message.id(id);
        return this;
    }

    @Override
    public MessageSpec priority(int priority) {
        message.priority(priority);
        return this;
    }

    @Override
    public MessageSpec timeToLive(Duration timeToLive) {
        message.timeToLive(timeToLive);
        return this;
    }

    @Override
    public MessageSpec maxAttempts(int maxAttempts) {
        message.maxAttempts(maxAttempts);
        return this;
    }

    @Override
    public MessageSpec header(String name, String value) {
        message.header(name, value);
        return this;
    }

    @Override
    public MessageSpec ifExists(DuplicatePolicy policy) {
        message.ifExists(policy);
        return this;
    }

    @Override
    public ScheduleResult schedule() {
        return sender.schedule(message.build());
    }

    @Override
    public CompletableFuture<ScheduleResult> scheduleAsync() {
        return sender.scheduleAsync(message.build());
    }

    @Override
    public OutgoingMessage build() {
        return message.build();
    }
}
