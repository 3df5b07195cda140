package io.delayqueue.gateway.callback;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.gateway.callback.CallbackTopic.ResultRoute;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Schedules messages about the results of callbacks. Thread-safe. */
final class CallbackResults {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final ResultRetries retries;

    /** @param retries schedule the messages */
    CallbackResults(ResultRetries retries) {
        this.retries = retries;
    }

    /**
     * Tells that a target accepted a message. Completes, without an error, once the result is in Redis or waits to be; at once without a
     * route.
     */
    CompletableFuture<Void> succeeded(@Nullable ResultRoute route, ReceivedMessage message, @Nullable Integer status) {
        return schedule(route, "success", message, status, null);
    }

    /** Tells that a message is about to be dead-lettered. */
    CompletableFuture<Void> failed(
            @Nullable ResultRoute route, ReceivedMessage message, @Nullable Integer status, String reason) {
        return schedule(route, "failure", message, status, reason);
    }

    private CompletableFuture<Void> schedule(
            @Nullable ResultRoute route,
            String outcome,
            ReceivedMessage message,
            @Nullable Integer status,
            @Nullable String reason) {
        if (route == null) {
            return CompletableFuture.completedFuture(null);
        }
        String webhookId = WebhookId.of(message);
        OutgoingMessage.Builder result = OutgoingMessage.to(route.topic())
                // derived: the same result is scheduled once, although an attempt may be repeated
                .id(webhookId + "-" + outcome)
                .ifExists(DuplicatePolicy.KEEP)
                .header("content-type", "application/json")
                .payload(JSON.writeValueAsBytes(body(webhookId, outcome, message, status, reason)));
        if (route.url() != null) {
            result.header(CallbackMessageHeaders.URL, route.url());
        }
        return retries.schedule(message.topic(), result.build());
    }

    private static Map<String, Object> body(
            String webhookId,
            String outcome,
            ReceivedMessage message,
            @Nullable Integer status,
            @Nullable String reason) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("outcome", outcome);
        body.put("topic", message.topic());
        body.put("id", message.id());
        body.put("webhookId", webhookId);
        body.put("attempt", message.attempt());
        body.put("due", message.due().toString());
        if (status != null) {
            body.put("status", status);
        }
        if (reason != null) {
            body.put("reason", reason);
        }
        return body;
    }
}
