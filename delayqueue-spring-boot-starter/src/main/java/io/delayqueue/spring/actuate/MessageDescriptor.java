package io.delayqueue.spring.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One message.
 *
 * @param topic its topic
 * @param id its id
 * @param state {@code scheduled}, {@code ready}, {@code in_flight} or {@code dead}
 * @param time Redis' clock when the message was looked up
 * @param due its due time; null unless scheduled or ready
 * @param attempt number of attempts made or under way
 * @param maxAttempts number of attempts before it is dead-lettered; null for the listener's
 * @param timeToLive time after the due time for which it may still be handled; null for no limit
 * @param scheduledAt time of the {@code schedule} call, by the clock of the client that made it
 * @param leaseDeadline end of its lease unless renewed; null unless in flight
 * @param deadLetteredAt time at which it became a dead letter; null unless dead
 * @param error error of the last attempt, or {@code ******} if values are hidden; null unless dead
 * @param priority its priority, 0 to 9
 * @param payloadSize size of its payload in bytes
 * @param headers its headers, each with its value or {@code ******}
 * @param payload first 10,000 characters of its payload, read as UTF-8, or {@code ******}
 */
public record MessageDescriptor(
        String topic,
        String id,
        String state,
        Instant time,
        @Nullable Instant due,
        int attempt,
        @Nullable Integer maxAttempts,
        @Nullable Duration timeToLive,
        Instant scheduledAt,
        @Nullable Instant leaseDeadline,
        @Nullable Instant deadLetteredAt,
        @Nullable String error,
        int priority,
        int payloadSize,
        Map<String, String> headers,
        String payload)
        implements DelayQueueDescriptor {}
