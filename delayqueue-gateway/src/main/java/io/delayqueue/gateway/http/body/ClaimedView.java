package io.delayqueue.gateway.http.body;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.delayqueue.PulledMessage;
import io.delayqueue.ReceivedMessage;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A claimed message.
 *
 * @param receipt settles it
 * @param id its id
 * @param payload its payload, if it is JSON
 * @param payloadBase64 its payload, if it is not
 * @param headers its headers
 * @param attempt number of this attempt, from 1
 * @param maxAttempts number of attempts after which it is dead-lettered
 * @param due its due time
 * @param priority its priority
 * @param leaseEnds end of its lease, by the gateway's clock
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ClaimedView(
        String receipt,
        String id,
        @Nullable JsonNode payload,
        @Nullable String payloadBase64,
        Map<String, String> headers,
        int attempt,
        int maxAttempts,
        Instant due,
        int priority,
        Instant leaseEnds) {

    /** The view of a message. */
    public static ClaimedView of(PulledMessage pulled, Instant leaseEnds, Json json) {
        ReceivedMessage message = pulled.message();
        PayloadView payload = PayloadView.of(message.payload(), message.headers(), json);
        return new ClaimedView(
                pulled.receipt().toString(),
                message.id(),
                payload.json(),
                payload.base64(),
                message.headers(),
                message.attempt(),
                message.maxAttempts(),
                message.due(),
                message.priority(),
                leaseEnds);
    }
}
