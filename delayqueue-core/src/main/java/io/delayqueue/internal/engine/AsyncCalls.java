package io.delayqueue.internal.engine;

import io.delayqueue.AsyncOperations;
import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The calls of a client that answer by a future.
 *
 * @param futures completes the answers
 */
record AsyncCalls(CallChecks checks, MessageScheduler scheduler, MessageCalls calls, UserFutures futures)
        implements AsyncOperations {

    @Override
    public CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message) {
        checks.requireOpen(message.topic());
        return futures.of(message.topic(), message.id(), () -> scheduler.schedule(message, Duration.ZERO));
    }

    @Override
    public CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages) {
        checks.requireOpen(null);
        List<OutgoingMessage> copy = List.copyOf(messages);
        return futures.of(
                null, null, () -> scheduler.scheduleAll(copy, Duration.ZERO).results());
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
        checks.requireMessage(topic, id);
        return futures.of(topic, id, () -> calls.cancel(topic, id));
    }

    @Override
    public CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids) {
        checks.requireMessages(topic, ids);
        return futures.of(topic, null, () -> calls.cancelAll(topic, ids).results());
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay) {
        checks.requireMessage(topic, id);
        return futures.of(topic, id, () -> calls.reschedule(topic, id, delay));
    }

    @Override
    public CompletableFuture<Optional<MessageInfo>> findAsync(String topic, String id) {
        checks.requireMessage(topic, id);
        return futures.of(topic, id, () -> calls.find(topic, id));
    }
}
