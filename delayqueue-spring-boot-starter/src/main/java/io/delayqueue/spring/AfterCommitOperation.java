package io.delayqueue.spring;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call inside a transaction, made after its commit.
 *
 * @param name what it does, for log lines
 * @param topic topic of its message
 * @param id id of its message
 * @param scheduled the message that it schedules; null if it does something else
 * @param bytes memory that it takes up until it is answered
 * @param call makes the call; may be repeated
 * @param answer its final answer
 * @param <T> type of the answer
 */
record AfterCommitOperation<T>(
        String name,
        String topic,
        String id,
        @Nullable OutgoingMessage scheduled,
        long bytes,
        Supplier<CompletableFuture<T>> call,
        CompletableFuture<T> answer) {

    /** Memory of an operation beside its payload and headers, which also bounds the number of those that wait. */
    private static final long OVERHEAD_BYTES = 1024;

    static AfterCommitOperation<ScheduleResult> schedule(DelayQueueClient client, OutgoingMessage message) {
        long headerChars = message.headers().entrySet().stream()
                .mapToLong(
                        header -> header.getKey().length() + header.getValue().length())
                .sum();
        return new AfterCommitOperation<>(
                "schedule",
                message.topic(),
                message.id(),
                message,
                OVERHEAD_BYTES + message.payload().length + 2 * headerChars,
                () -> client.scheduleAsync(message),
                new CompletableFuture<>());
    }

    static AfterCommitOperation<CancelOutcome> cancel(DelayQueueClient client, String topic, String id) {
        return ofMessage("cancel", topic, id, () -> client.cancelAsync(topic, id));
    }

    static AfterCommitOperation<RescheduleOutcome> reschedule(
            DelayQueueClient client, String topic, String id, Delay delay) {
        return ofMessage("reschedule", topic, id, () -> client.rescheduleAsync(topic, id, delay));
    }

    private static <T> AfterCommitOperation<T> ofMessage(
            String name, String topic, String id, Supplier<CompletableFuture<T>> call) {
        OutgoingMessage.to(topic).id(id); // refuses an invalid topic or id before the commit
        return new AfterCommitOperation<>(name, topic, id, null, OVERHEAD_BYTES, call, new CompletableFuture<>());
    }

    /** Operations on the same message keep their order. */
    MessageKey message() {
        return new MessageKey(topic, id);
    }

    @Override
    public String toString() {
        return name + " '" + id + "' of topic '" + topic + "'";
    }

    /** Identifies a message. */
    record MessageKey(String topic, String id) {}
}
