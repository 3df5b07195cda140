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
import org.springframework.lang.CheckReturnValue;

/**
 * Schedules, cancels and reschedules for a {@link DelayQueueTemplate}: at once, after the commit of the caller's transaction, or through
 * a journal. A bean of this type takes precedence over {@code delayqueue.transaction-aware}. Safe for use by several threads.
 *
 * <p>The calls are those of {@link DelayQueueClient}, with its arguments, results and exceptions. A call whose outcome is
 * not known when it returns answers {@link io.delayqueue.ScheduleOutcome#SCHEDULED}, {@link CancelOutcome#AFTER_COMMIT} or
 * {@link RescheduleOutcome#AFTER_COMMIT}.
 */
public interface MessageSender {

    /** A sender that makes the calls of a client at once, also inside a transaction. */
    static MessageSender immediate(DelayQueueClient client) {
        return new ImmediateSender(client);
    }

    /** Whether templates of this client use this sender; true by default. Templates of other clients call Redis directly. */
    default boolean supports(DelayQueueClient client) {
        return true;
    }

    /** Schedules a message. */
    @CheckReturnValue
    ScheduleResult schedule(OutgoingMessage message);

    /** {@link #schedule} without waiting for Redis. */
    @CheckReturnValue
    CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message);

    /** Schedules many messages; answers in their order. */
    @CheckReturnValue
    List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages);

    /** {@link #scheduleAll} without waiting for Redis. */
    @CheckReturnValue
    CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages);

    /** Cancels a message. */
    CancelOutcome cancel(String topic, String id);

    /** {@link #cancel} without waiting for Redis. */
    CompletableFuture<CancelOutcome> cancelAsync(String topic, String id);

    /** Cancels many messages of a topic; answers in the order of the ids. */
    Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids);

    /** {@link #cancelAll} without waiting for Redis. */
    CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids);

    /** Gives a message a new due time. */
    RescheduleOutcome reschedule(String topic, String id, Delay delay);

    /** {@link #reschedule} without waiting for Redis. */
    CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay);
}
