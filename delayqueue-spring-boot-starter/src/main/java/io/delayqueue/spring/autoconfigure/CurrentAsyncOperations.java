package io.delayqueue.spring.autoconfigure;

import io.delayqueue.AsyncOperations;
import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Calls of the client that is the current one when they are made.
 *
 * @param current the client's calls
 */
record CurrentAsyncOperations(Supplier<AsyncOperations> current) implements AsyncOperations {

    @Override
    public CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message) {
        return current.get().scheduleAsync(message);
    }

    @Override
    public CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages) {
        return current.get().scheduleAllAsync(messages);
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
        return current.get().cancelAsync(topic, id);
    }

    @Override
    public CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids) {
        return current.get().cancelAllAsync(topic, ids);
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay) {
        return current.get().rescheduleAsync(topic, id, delay);
    }

    @Override
    public CompletableFuture<Optional<MessageInfo>> findAsync(String topic, String id) {
        return current.get().findAsync(topic, id);
    }
}
