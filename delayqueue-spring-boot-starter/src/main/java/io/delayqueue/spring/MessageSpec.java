package io.delayqueue.spring;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * A message in the making, from {@link DelayQueueOperations#message}. Due at once unless told otherwise. Each setter
 * refuses bad input; not safe for use by several threads.
 */
public interface MessageSpec {

    /** Due this long after Redis accepts it, by Redis' clock; a negative delay means at once. */
    MessageSpec delay(Duration delay);

    /** Due at this instant of Redis' clock; one in the past means at once. */
    MessageSpec dueAt(Instant due);

    /** An id of the caller's, at most 512 bytes of UTF-8, unique in the topic. Default: generated. */
    MessageSpec id(String id);

    /** 0 to 9, higher first among due messages. Default 4. */
    MessageSpec priority(int priority);

    /** How long after its due time the message is still worth handling; then it is dropped. Default: for ever. */
    MessageSpec timeToLive(Duration timeToLive);

    /** Attempts before it is dead-lettered, at least 1. Default: what its listener says. */
    MessageSpec maxAttempts(int maxAttempts);

    /** Adds a header; the name must not be blank. */
    MessageSpec header(String name, String value);

    /** What to do if a message with this id exists. Default {@link DuplicatePolicy#REJECT}. */
    MessageSpec ifExists(DuplicatePolicy policy);

    /** Schedules the message. */
    ScheduleResult schedule();

    /** {@link #schedule()} without waiting. */
    CompletableFuture<ScheduleResult> scheduleAsync();

    /** The finished message, for {@link DelayQueueOperations#scheduleAll}; nothing is sent. */
    OutgoingMessage build();
}
