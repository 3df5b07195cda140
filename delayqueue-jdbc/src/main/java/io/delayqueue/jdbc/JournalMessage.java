package io.delayqueue.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as the journal has it, without its payload.
 *
 * @param topic its topic
 * @param id its id
 * @param generation tells it from other messages that have had its id
 * @param status its state
 * @param attempts attempts made, as far as they were recorded
 * @param priority its priority: 0 to 9
 * @param maxAttempts its own maximum of attempts; null for the consumer's
 * @param timeToLive time after the due time in which an attempt may begin; null for no limit
 * @param due its due time, by the database's clock; by Redis' if it was scheduled for an instant
 * @param created when it was scheduled, by the database's clock
 * @param updated when its state changed last, by the database's clock
 * @param finished when it ended or became a dead letter, by the database's clock; null before that
 * @param reason the error of its last failure; null if there was none
 * @param businessKey the value of the header that is declared as business key, cut after 255 characters; null without
 * @param headers its headers, unmodifiable
 */
public record JournalMessage(
        String topic,
        String id,
        String generation,
        MessageStatus status,
        int attempts,
        int priority,
        @Nullable Integer maxAttempts,
        @Nullable Duration timeToLive,
        Instant due,
        Instant created,
        Instant updated,
        @Nullable Instant finished,
        @Nullable String reason,
        @Nullable String businessKey,
        Map<String, String> headers) {

    public JournalMessage {
        headers = Map.copyOf(headers);
    }
}
