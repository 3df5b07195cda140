package io.delayqueue.gateway.callback;

import io.delayqueue.ReceivedMessage;
import java.net.URI;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the requests of messages. */
final class CallbackRequests {

    static final String ATTEMPT = "delayqueue-attempt";
    static final String MAX_ATTEMPTS = "delayqueue-max-attempts";
    static final String PREVIOUS_STATUS = "delayqueue-previous-status";
    static final String DUE = "delayqueue-due";
    static final String TOPIC = "delayqueue-topic";

    private CallbackRequests() {}

    /**
     * The request of an attempt.
     *
     * @param previousStatus status of the attempt before; null if unknown, or if this is the first
     * @param now time of the attempt, which is signed
     */
    static CallbackRequest of(
            CallbackTopic topic, URI url, ReceivedMessage message, @Nullable String previousStatus, Instant now) {
        Map<String, String> headers = CallbackHeaders.ofRequest(message.headers());
        headers.putIfAbsent("content-type", topic.form().contentType());
        headers.putIfAbsent("user-agent", "delayqueue");
        headers.put(ATTEMPT, String.valueOf(message.attempt()));
        headers.put(MAX_ATTEMPTS, String.valueOf(message.maxAttempts()));
        headers.put(DUE, message.due().toString());
        headers.put(TOPIC, ascii(message.topic()));
        if (previousStatus != null) {
            headers.put(PREVIOUS_STATUS, previousStatus);
        }
        String id = WebhookId.of(message);
        headers.put(WebhookSignature.ID, id);
        headers.put(WebhookSignature.TIMESTAMP, String.valueOf(now.getEpochSecond()));
        headers.put(
                WebhookSignature.SIGNATURE, topic.form().signatures().of(url).sign(id, now, message.payload()));
        return new CallbackRequest(topic.form().method(), url, headers, message.payload());
    }

    /** Topics may have any letters; headers may not. */
    private static String ascii(String text) {
        StringBuilder ascii = new StringBuilder();
        text.chars().forEach(c -> {
            if (c > ' ' && c < 0x7f) {
                ascii.append((char) c);
            } else {
                ascii.append(String.format("\\u%04x", c));
            }
        });
        return ascii.toString();
    }
}
