package io.delayqueue;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message as it stands in Redis.
 *
 * @param topic its topic
 * @param id its id
 * @param state where it is in its life
 * @param due when it is due; null unless scheduled or ready
 * @param attempt attempts made or under way: 0 before the first
 * @param leaseDeadline when its consumer's lease ends unless renewed; null unless in flight
 * @param diedAt when it was dead-lettered; null unless dead
 * @param priority 0 to 9
 * @param headers its headers, unmodifiable
 * @param payload its bytes, not copied: don't change them
 */
public record MessageInfo(
        String topic,
        String id,
        MessageState state,
        @Nullable Instant due,
        int attempt,
        @Nullable Instant leaseDeadline,
        @Nullable Instant diedAt,
        int priority,
        Map<String, String> headers,
        byte[] payload) {
    public MessageInfo {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(state, "state");
        headers = Map.copyOf(headers);
    }
}
