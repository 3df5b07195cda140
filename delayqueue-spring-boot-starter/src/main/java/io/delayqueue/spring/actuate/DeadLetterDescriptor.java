package io.delayqueue.spring.actuate;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter.
 *
 * @param id its id
 * @param attempts number of attempts made
 * @param error error of the last attempt; null unless payloads are shown
 * @param scheduledAt time of the {@code schedule} call, by the clock of the client that made it
 * @param deadLetteredAt time at which it became a dead letter, by Redis' clock
 * @param headerNames names of its headers
 * @param payloadSize size of its payload in bytes
 */
public record DeadLetterDescriptor(
        String id,
        int attempts,
        @Nullable String error,
        Instant scheduledAt,
        Instant deadLetteredAt,
        Set<String> headerNames,
        int payloadSize) {}
