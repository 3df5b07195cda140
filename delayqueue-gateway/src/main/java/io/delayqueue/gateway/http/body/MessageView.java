package io.delayqueue.gateway.http.body;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.delayqueue.MessageInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A message as it stands; members as those of {@link MessageInfo}. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MessageView(
        String topic,
        String id,
        String state,
        @Nullable Instant due,
        int attempt,
        @Nullable Integer maxAttempts,
        @Nullable String timeToLive,
        Instant scheduledAt,
        @Nullable Instant leaseEnds,
        @Nullable Instant deadLetteredAt,
        @Nullable String error,
        int priority,
        Map<String, String> headers,
        @Nullable JsonNode payload,
        @Nullable String payloadBase64) {

    /** The view of a message. */
    public static MessageView of(MessageInfo message, Json json) {
        PayloadView payload = PayloadView.of(message.payload(), message.headers(), json);
        Duration timeToLive = message.timeToLive();
        return new MessageView(
                message.topic(),
                message.id(),
                message.state().name().toLowerCase(Locale.ROOT),
                message.due(),
                message.attempt(),
                message.maxAttempts(),
                timeToLive == null ? null : timeToLive.toString(),
                message.scheduledAt(),
                message.leaseDeadline(),
                message.deadLetteredAt(),
                message.error(),
                message.priority(),
                message.headers(),
                payload.json(),
                payload.base64());
    }
}
