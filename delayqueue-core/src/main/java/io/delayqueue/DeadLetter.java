package io.delayqueue;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * A message that was given up.
 *
 * @param topic its topic
 * @param id its id
 * @param payload its bytes, not copied: don't change them
 * @param headers its headers, unmodifiable
 * @param error why it was given up, at most 2,000 characters
 * @param attempts how often it was delivered
 * @param scheduledAt when it was scheduled, by the scheduling client's clock
 * @param diedAt when it was given up, by Redis' clock
 */
public record DeadLetter(
        String topic,
        String id,
        byte[] payload,
        Map<String, String> headers,
        String error,
        int attempts,
        Instant scheduledAt,
        Instant diedAt) {
    public DeadLetter {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(payload, "payload");
        Objects.requireNonNull(error, "error");
        Objects.requireNonNull(scheduledAt, "scheduledAt");
        Objects.requireNonNull(diedAt, "diedAt");
        headers = Map.copyOf(headers);
    }
}
