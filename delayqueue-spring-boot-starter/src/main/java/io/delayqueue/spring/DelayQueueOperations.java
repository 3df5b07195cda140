package io.delayqueue.spring;

import io.delayqueue.BulkCancelException;
import io.delayqueue.BulkScheduleException;
import io.delayqueue.CancelOutcome;
import io.delayqueue.DelayQueueException;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.springframework.lang.CheckReturnValue;

/**
 * Schedules, cancels, reschedules and finds messages. Inject this interface; the starter's implementation is
 * {@link DelayQueueTemplate}.
 *
 * <p>A payload may be any object that the {@link PayloadConverter} accepts; {@code byte[]} and {@code String} are stored
 * unchanged. An invalid argument is an {@link IllegalArgumentException} before anything is sent, a payload that can't be
 * converted a {@link PayloadConversionException}, a failure of Redis a {@link DelayQueueException}. The {@code Async} forms
 * throw the former two and complete exceptionally with the latter. Cancelling a future withdraws the call if it was not sent to
 * Redis yet; afterwards it only abandons the answer.
 *
 * <p>With {@code delayqueue.transaction-aware=true}, calls inside a Spring transaction that schedule, cancel or reschedule are sent
 * after its commit, and not at all after a rollback, be it of the transaction or to a savepoint before the call:
 *
 * <ul>
 *   <li>a call returns at once. A {@link ScheduleResult} says {@code SCHEDULED}, since the outcome is not yet known; a duplicate
 *       found after the commit is counted and logged like any other. {@code cancel}, {@code cancelAll} and {@code reschedule} answer {@code
 *       AFTER_COMMIT};
 *   <li>a future completes after the commit with the real outcome, or is cancelled by a rollback: don't wait for it inside the
 *       transaction. A call whose future is cancelled before the commit is not sent;
 *   <li>the commit waits for Redis 0.2 s at most, since it holds a database connection. Calls that Redis does not take are
 *       repeated for up to 10 minutes, in the given order for each message;
 *   <li>if the process dies between commit and Redis' answer, calls that were not sent are lost;
 *   <li>calls that were given up, or belong to a transaction of unknown outcome, are logged as an error with topics and ids;
 *   <li>while too much waits for Redis, 64 MiB or 16 MiB of one topic, a commit is refused with a {@link
 *       io.delayqueue.ClientOverloadedException}: the transaction is rolled back. A call counts 1 KiB more than its payload and
 *       headers, so 100 small calls a second reach this in an outage of 2 to 3 minutes. Until then an outage of Redis fails no commit.
 * </ul>
 *
 * <p>With {@code delayqueue-jdbc} and a {@code DataSource}, such calls are recorded in the database instead, in the caller's transaction
 * or one of their own, and sent after its commit, whatever crashes. A {@link MessageSender} bean decides.
 *
 * <p>{@link #find} asks Redis at once, so it does not see changes of the same transaction.
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

    /** A message with further options, such as id, priority or headers; sent by {@link MessageSpec#schedule()}. */
    MessageSpec message(String topic, Object payload);

    /**
     * {@link #message(String, Object)} for a payload of a generic class of yours whose type arguments have type information, such
     * as an {@code Envelope<Shape>}. Collections and maps don't need this.
     *
     * @param payloadType type of the payload as the listener declares it, generics included: {@code new
     *     ParameterizedTypeReference<Envelope<Shape>>() {}.getType()}
     * @throws IllegalArgumentException if the payload is not of that type
     */
    MessageSpec message(String topic, Object payload, Type payloadType);

    /**
     * Schedules a message built by {@link MessageSpec#build()}. It has its id, so the call may be repeated after a failure of
     * unknown outcome: a message that arrived is recognised while it exists, and answers as at first. If it was handled meanwhile, it is
     * scheduled again.
     */
    @CheckReturnValue
    ScheduleResult schedule(OutgoingMessage message);

    /** {@link #schedule(OutgoingMessage)} without waiting. */
    @CheckReturnValue
    CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message);

    /**
     * Schedules many messages, of any topics, in as few round trips as possible; {@link MessageSpec#build()} creates them. Not
     * one atomic step: each message has a result of its own.
     *
     * @return results in the order of the messages
     * @throws BulkScheduleException if at least one message failed; it has the results of all, and the messages to repeat the call with
     */
    @CheckReturnValue
    List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages);

    /**
     * Schedules many payloads with the same delay; see {@link #scheduleAll(List)}.
     *
     * @return the ids in the order of the payloads
     */
    List<String> scheduleAll(String topic, Collection<?> payloads, Duration delay);

    /** {@link #scheduleAll(List)} without waiting. */
    @CheckReturnValue
    CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages);

    /** Cancels a scheduled, ready or dead message; a message in flight can no longer be cancelled. */
    CancelOutcome cancel(String topic, String id);

    /** {@link #cancel} without waiting. */
    CompletableFuture<CancelOutcome> cancelAsync(String topic, String id);

    /**
     * Cancels many messages of a topic, up to 512 in one call of Redis. Not one atomic step: each id has an outcome of its own.
     *
     * @return the outcome of each id, in the given order
     * @throws BulkCancelException if at least one id failed; it has the outcomes of the others
     */
    Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids);

    /** {@link #cancelAll} without waiting. */
    CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids);

    /** Makes a message due after a delay from now; a message in flight can no longer be rescheduled. */
    RescheduleOutcome reschedule(String topic, String id, Duration delay);

    /** Makes a message due at an instant; a message in flight can no longer be rescheduled. */
    RescheduleOutcome reschedule(String topic, String id, Instant due);

    /** {@link #reschedule(String, String, Duration)} without waiting. */
    CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Duration delay);

    /** {@link #reschedule(String, String, Instant)} without waiting. */
    CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Instant due);

    /** Finds a message by its id; empty once it is handled, cancelled, expired or purged. */
    Optional<MessageInfo> find(String topic, String id);

    /** {@link #find} without waiting. */
    CompletableFuture<Optional<MessageInfo>> findAsync(String topic, String id);
}
