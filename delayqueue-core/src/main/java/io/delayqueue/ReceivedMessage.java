package io.delayqueue;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * A message delivered to a handler.
 *
 * @param topic its topic
 * @param id its id
 * @param payload its payload, not copied: don't change it
 * @param headers its headers, unmodifiable
 * @param attempt number of this attempt, from 1; failures and crashes count as attempts, releases before a handler began don't
 * @param maxAttempts number of attempts after which it is dead-lettered
 * @param due its due time by Redis' clock
 * @param priority its priority, 0 to 9
 * @param generation tells it from other messages that have had its id; see {@link OutgoingMessage#generation()}
 */
public record ReceivedMessage(
        String topic,
        String id,
        byte[] payload,
        Map<String, String> headers,
        int attempt,
        int maxAttempts,
        Instant due,
        int priority,
        String generation) {
    public ReceivedMessage {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(payload, "payload");
        Objects.requireNonNull(due, "due");
        Objects.requireNonNull(generation, "generation");
        headers = Map.copyOf(headers);
    }

    /** Topic, id, attempt, due time and size, but never the payload. */
    @Override
    public String toString() {
        return "ReceivedMessage[topic=" + topic + ", id=" + id + ", attempt=" + attempt + " of " + maxAttempts
                + ", due=" + due + ", " + payload.length + " bytes]";
    }
}
