package io.delayqueue;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The calls of a {@link DelayQueueClient} that answer by a future: the same as its blocking ones, without waiting. Every future
 * completes, as {@link DelayQueueClient} says.
 */
public interface AsyncOperations {

    /** {@link DelayQueueClient#schedule} without waiting. */
    @CheckReturnValue
    CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message);

    /** {@link DelayQueueClient#scheduleAll} without waiting. */
    @CheckReturnValue
    CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages);

    /** {@link DelayQueueClient#cancel} without waiting. */
    CompletableFuture<CancelOutcome> cancelAsync(String topic, String id);

    /** {@link DelayQueueClient#cancelAll} without waiting. */
    CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids);

    /** {@link DelayQueueClient#reschedule} without waiting. */
    CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay);

    /** {@link DelayQueueClient#find} without waiting. */
    CompletableFuture<Optional<MessageInfo>> findAsync(String topic, String id);
}
