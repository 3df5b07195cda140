package io.delayqueue.spring.actuate;

import java.time.Instant;
import java.util.Map;

/**
 * A dead letter.
 *
 * @param id its id
 * @param attempts number of attempts made
 * @param error error of the last attempt, or {@code ******} if values are hidden
 * @param scheduledAt time of the {@code schedule} call, by the clock of the client that made it
 * @param deadLetteredAt time at which it became a dead letter, by Redis' clock
 * @param payloadSize size of its payload in bytes
 * @param headers its headers, each with its value or {@code ******}
 */
public record DeadLetterDescriptor(
        String id,
        int attempts,
        String error,
        Instant scheduledAt,
        Instant deadLetteredAt,
        int payloadSize,
        Map<String, String> headers) {}
