package io.delayqueue.jdbc.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as the journal has it.
 *
 * @param topic its topic
 * @param id its id
 * @param generation tells it from other messages that have had its id
 * @param status its state
 * @param attempts attempts made, as far as they were recorded
 * @param priority its priority, 0 to 9
 * @param maxAttempts number of attempts before it is dead-lettered; null for the listener's
 * @param timeToLive time after the due time for which it may still be handled; null for no limit
 * @param due its due time
 * @param created when it was scheduled
 * @param updated when its state changed last
 * @param finished when it ended; null before that
 * @param reason error of its last failure, or {@code ******} if values are hidden; null if there was none
 * @param businessKey value of the header that is declared as business key, or {@code ******}; null without
 * @param headers its headers, each with its value or {@code ******}
 */
public record JournalMessageDescriptor(
        String topic,
        String id,
        String generation,
        String status,
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
        Map<String, String> headers) {}
