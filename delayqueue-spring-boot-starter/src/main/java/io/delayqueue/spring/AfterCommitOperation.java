package io.delayqueue.spring;

import io.delayqueue.AsyncOperations;
import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A call inside a transaction, made after its commit.
 *
 * @param name what it does, for log lines
 * @param message its message
 * @param scheduled the message that it schedules; null if it does something else
 * @param call makes the call; may be repeated
 * @param answer its final answer
 * @param <T> type of the answer
 */
record AfterCommitOperation<T>(
        String name,
        MessageKey message,
        @Nullable OutgoingMessage scheduled,
        Function<AsyncOperations, CompletableFuture<T>> call,
        CompletableFuture<T> answer) {

    /** Memory of an operation beside its payload and headers, which also bounds the number of those that wait. */
    private static final long OVERHEAD_BYTES = 1024;

    static AfterCommitOperation<ScheduleResult> schedule(OutgoingMessage message) {
        return new AfterCommitOperation<>(
                "schedule",
                new MessageKey(message.topic(), message.id()),
                message,
                calls -> calls.scheduleAsync(message),
                new CompletableFuture<>());
    }

    static AfterCommitOperation<CancelOutcome> cancel(String topic, String id) {
        return of("cancel", topic, id, calls -> calls.cancelAsync(topic, id));
    }

    static AfterCommitOperation<RescheduleOutcome> reschedule(String topic, String id, Delay delay) {
        return of("reschedule", topic, id, calls -> calls.rescheduleAsync(topic, id, delay));
    }

    private static <T> AfterCommitOperation<T> of(
            String name, String topic, String id, Function<AsyncOperations, CompletableFuture<T>> call) {
        OutgoingMessage.to(topic).id(id); // refuses an invalid topic or id before the commit
        return new AfterCommitOperation<>(name, new MessageKey(topic, id), null, call, new CompletableFuture<>());
    }

    String topic() {
        return message.topic();
    }

    String id() {
        return message.id();
    }

    /** Memory that it takes up until it is answered. */
    long bytes() {
        if (scheduled == null) {
            return OVERHEAD_BYTES;
        }
        long headerChars = scheduled.headers().entrySet().stream()
                .mapToLong(
                        header -> header.getKey().length() + header.getValue().length())
                .sum();
        return OVERHEAD_BYTES + scheduled.payload().length + 2 * headerChars;
    }

    @Override
    public String toString() {
        return name + " '" + id() + "' of topic '" + topic() + "'";
    }

    /** Identifies a message. Operations on the same one keep their order. */
    record MessageKey(String topic, String id) {}
}
