package io.delayqueue;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * A message handed to a consumer.
 *
 * @param topic its topic
 * @param id its id
 * @param payload its bytes, not copied: don't change them
 * @param headers its headers, unmodifiable
 * @param attempt 1 for the first delivery; failed and crashed attempts count, messages given back unhandled don't
 * @param maxAttempts attempts after which it is dead-lettered
 * @param due when it was due by Redis' clock
 * @param priority 0 to 9
 */
public record ReceivedMessage(
        String topic,
        String id,
        byte[] payload,
        Map<String, String> headers,
        int attempt,
        int maxAttempts,
        Instant due,
        int priority) {
    public ReceivedMessage {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(payload, "payload");
        Objects.requireNonNull(due, "due");
        headers = Map.copyOf(headers);
    }

    /** Topic, id, attempt and size; never the payload. */
    @Override
    public String toString() {
        return "Message[topic=" + topic + ", id=" + id + ", attempt=" + attempt + " of " + maxAttempts + ", due=" + due
                + ", " + payload.length + " bytes]";
    }
}
