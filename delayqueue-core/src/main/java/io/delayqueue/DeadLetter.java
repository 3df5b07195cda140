package io.delayqueue;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * A message that ran out of attempts, or that its handler dead-lettered.
 *
 * @param topic its topic
 * @param id its id
 * @param payload its bytes, not copied: don't change them
 * @param headers its headers, unmodifiable
 * @param error error of the last attempt, at most 2,000 characters
 * @param attempts number of deliveries
 * @param scheduledAt time of the {@code schedule} call, by the clock of the client that made it
 * @param deadLetteredAt time at which it became a dead letter, by Redis' clock
 */
public record DeadLetter(
        String topic,
        String id,
        byte[] payload,
        Map<String, String> headers,
        String error,
        int attempts,
        Instant scheduledAt,
        Instant deadLetteredAt) {
    public DeadLetter {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(payload, "payload");
        Objects.requireNonNull(error, "error");
        Objects.requireNonNull(scheduledAt, "scheduledAt");
        Objects.requireNonNull(deadLetteredAt, "deadLetteredAt");
        headers = Map.copyOf(headers);
    }
}
