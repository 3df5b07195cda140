package io.delayqueue.spring;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.springframework.lang.CheckReturnValue;

/**
 * Options of a message from {@link DelayQueueOperations#message}; due at once by default. Each setter refuses invalid values.
 * Not safe for use by several threads.
 */
public interface MessageSpec {

    /** Delay until the message is due, from the moment Redis accepts it. A negative delay means at once. */
    MessageSpec delay(Duration delay);

    /** Instant at which the message is due, by Redis' clock. An instant in the past means at once. */
    MessageSpec dueAt(Instant due);

    /** Id of the message, at most 512 bytes of UTF-8, unique in its topic. Default: generated. */
    MessageSpec id(String id);

    /** Priority, 0 to 9: higher first among due messages. Default 4. */
    MessageSpec priority(int priority);

    /** Time after the due time for which the message may still be handled; then it is dropped. Default: no limit. */
    MessageSpec timeToLive(Duration timeToLive);

    /** Number of attempts before the message is dead-lettered, at least 1. Default: the listener's. */
    MessageSpec maxAttempts(int maxAttempts);

    /** Adds a header; the name must not be blank. */
    MessageSpec header(String name, String value);

    /** Treatment of the message if the topic already has one with its id. Default {@link DuplicatePolicy#REJECT}. */
    MessageSpec ifExists(DuplicatePolicy policy);

    /** Schedules the message. Look at the outcome: a duplicate is rejected without an exception. */
    @CheckReturnValue
    ScheduleResult schedule();

    /** {@link #schedule()} without waiting. */
    @CheckReturnValue
    CompletableFuture<ScheduleResult> scheduleAsync();

    /** The finished message, for {@link DelayQueueOperations#scheduleAll}. Sends nothing. */
    OutgoingMessage build();
}
