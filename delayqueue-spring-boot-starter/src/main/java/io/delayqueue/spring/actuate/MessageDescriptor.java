package io.delayqueue.spring.actuate;

import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One message.
 *
 * @param topic its topic
 * @param id its id
 * @param state where it is in its life
 * @param due when it is due; null unless scheduled or ready
 * @param attempt attempts made or under way
 * @param leaseDeadline when its consumer's lease ends; null unless in flight
 * @param deadLetteredAt when it was dead-lettered; null unless dead
 * @param priority 0 to 9
 * @param headerNames names of its headers
 * @param payloadSize bytes of its payload
 * @param headers its headers; null unless payloads are shown
 * @param payload the first 10,000 characters of its payload, read as UTF-8; null unless payloads are shown
 */
public record MessageDescriptor(
        String topic,
        String id,
        MessageState state,
        @Nullable Instant due,
        int attempt,
        @Nullable Instant leaseDeadline,
        @Nullable Instant deadLetteredAt,
        int priority,
        Set<String> headerNames,
        int payloadSize,
        @Nullable Map<String, String> headers,
        @Nullable String payload)
        implements OperationResponseBody {

    private static final int LONGEST_PAYLOAD = 10_000;

    static MessageDescriptor of(MessageInfo message, boolean showPayload) {
        return new MessageDescriptor(
                message.topic(),
                message.id(),
                message.state(),
                message.due(),
                message.attempt(),
                message.leaseDeadline(),
                message.deadLetteredAt(),
                message.priority(),
                new TreeSet<>(message.headers().keySet()),
                message.payload().length,
                showPayload ? new TreeMap<>(message.headers()) : null,
                showPayload ? text(message.payload()) : null);
    }

    private static String text(byte[] payload) {
        String text = new String(payload, StandardCharsets.UTF_8);
        return text.length() > LONGEST_PAYLOAD ? text.substring(0, LONGEST_PAYLOAD) : text;
    }
}
