package io.delayqueue.spring;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DelayQueueException;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Schedules messages and looks after those that wait. Inject this interface; {@link DelayQueueTemplate} is what the
 * starter puts behind it.
 *
 * <p>A payload may be any object that the {@link PayloadConverter} takes; {@code byte[]} and {@code String} are stored as
 * they are. Input that can't be right is an {@link IllegalArgumentException} before anything is sent, a payload that can't
 * be written a {@link PayloadConversionException}, a failure of Redis a {@link DelayQueueException}. The {@code Async} forms
 * throw the former two and complete exceptionally with the latter.
 *
 * <p>With {@code delayqueue.transaction-aware=true}, inside a Spring transaction the {@code schedule} forms send after
 * commit and not at all after a rollback:
 *
 * <ul>
 *   <li>ids are returned at once;
 *   <li>a {@link ScheduleResult} returned at once says {@code SCHEDULED}: what it really was is not known yet. A duplicate
 *       found after commit is logged as a warning;
 *   <li>a future completes after commit, or is cancelled by a rollback: don't wait for it inside the transaction;
 *   <li>if Redis fails after commit, the exception goes to whoever committed, and the future.
 * </ul>
 *
 * Cancel, reschedule and find act at once, so they don't see what the same transaction has scheduled.
 */
public interface DelayQueueOperations {

    /**
     * Schedules a payload, due after a delay by Redis' clock.
     *
     * @param delay a negative one means at once
     * @return the message's id
     */
    String schedule(String topic, Object payload, Duration delay);

    /**
     * Schedules a payload, due at an instant of Redis' clock.
     *
     * @param due one in the past means at once
     * @return the message's id
     */
    String schedule(String topic, Object payload, Instant due);

    /** {@link #schedule(String, Object, Duration)} without waiting. */
    CompletableFuture<String> scheduleAsync(String topic, Object payload, Duration delay);

    /** {@link #schedule(String, Object, Instant)} without waiting. */
    CompletableFuture<String> scheduleAsync(String topic, Object payload, Instant due);

    /** Starts a message with further options: id, priority, time to live, headers …; nothing is sent yet. */
    MessageSpec message(String topic, Object payload);

    /**
     * Schedules many messages, of any topics, in as few round trips as possible; {@link MessageSpec#build()} makes them.
     * Not one atomic step: if it fails, some may be scheduled; repeat the call with the same messages, those already there
     * are recognised.
     *
     * @return results in the order of the messages
     */
    List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages);

    /**
     * Schedules many payloads with one delay, see {@link #scheduleAll(List)}.
     *
     * @return the ids in the order of the payloads
     */
    List<String> scheduleAll(String topic, Collection<?> payloads, Duration delay);

    /** {@link #scheduleAll(List)} without waiting. */
    CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages);

    /** Revokes a message unless it is being handled, and says who won. */
    CancelOutcome cancel(String topic, String id);

    /** {@link #cancel} without waiting. */
    CompletableFuture<CancelOutcome> cancelAsync(String topic, String id);

    /** Makes a message due after a delay from now, unless it is being handled. */
    RescheduleOutcome reschedule(String topic, String id, Duration delay);

    /** Makes a message due at an instant, unless it is being handled. */
    RescheduleOutcome reschedule(String topic, String id, Instant due);

    /** {@link #reschedule(String, String, Duration)} without waiting. */
    CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Duration delay);

    /** {@link #reschedule(String, String, Instant)} without waiting. */
    CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Instant due);

    /** Looks a message up; empty once it is handled, cancelled, expired or purged. */
    Optional<MessageInfo> find(String topic, String id);

    /** {@link #find} without waiting. */
    CompletableFuture<Optional<MessageInfo>> findAsync(String topic, String id);
}
