package io.delayqueue.gateway.callback;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A topic whose messages are sent to URLs.
 *
 * @param name its name
 * @param urls where its messages are sent
 * @param form form of its requests
 * @param target key of the target that all its messages have; null if that is the host of the URL
 * @param options options of its consumer
 * @param results where results are sent
 */
record CallbackTopic(
        String name, CallbackUrls urls, Form form, @Nullable String target, ConsumerOptions options, Results results) {

    /**
     * The form of requests.
     *
     * @param method HTTP method
     * @param contentType content type of messages that tell none
     * @param signature signs them
     */
    record Form(String method, String contentType, WebhookSignature signature) {}

    /**
     * Where results are sent.
     *
     * @param onSuccess of messages whose target accepted them; null for nowhere
     * @param onFailure of messages that are dead-lettered; null for nowhere
     */
    record Results(
            @Nullable ResultRoute onSuccess, @Nullable ResultRoute onFailure) {

        static final Results NONE = new Results(null, null);
    }

    /**
     * Where a result is sent.
     *
     * @param topic its topic
     * @param url the URL to call; null if the topic has other consumers
     */
    record ResultRoute(String topic, @Nullable String url) {}

    /** Key of the target of a URL: limits, pause and breaker are those of the key. */
    String targetOf(URI url) {
        return target != null ? target : url.getHost().toLowerCase(Locale.ROOT);
    }

    /** Delays between attempts of a message. */
    Backoff backoff(Map<String, String> headers) {
        try {
            Backoff own = MessageDelays.of(headers);
            return own == null ? options.backoff() : own;
        } catch (IllegalArgumentException e) {
            // it came past the check, such as from an older version
            return options.backoff();
        }
    }
}
