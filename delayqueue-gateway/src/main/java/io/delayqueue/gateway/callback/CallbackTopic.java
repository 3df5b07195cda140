package io.delayqueue.gateway.callback;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
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

    private static final int HASH_BYTES = 6;

    /**
     * The form of requests.
     *
     * @param method HTTP method
     * @param contentType content type of messages that tell none
     * @param signatures sign them
     */
    record Form(String method, String contentType, Signatures signatures) {}

    /**
     * Signatures of a topic's requests.
     *
     * @param others of all other hosts
     * @param byHost of hosts with secrets of their own, by name in lower case
     */
    record Signatures(WebhookSignature others, Map<String, WebhookSignature> byHost) {

        Signatures {
            byHost = Map.copyOf(byHost);
        }

        /** That of a URL's host. */
        WebhookSignature of(URI url) {
            return byHost.getOrDefault(host(url), others);
        }
    }

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

    /** Key of the target of a URL: limits, an operator's pause and the breaker are those of the key. */
    String targetOf(URI url) {
        return target != null ? target : host(url);
    }

    /** Whether its messages may have several targets. */
    boolean hasManyTargets() {
        return target == null && hasManyUrls();
    }

    /** Whether its messages may name their URLs. */
    boolean hasManyUrls() {
        return urls.messageRules() != null;
    }

    /** Key of a URL itself, which is paused if it is gone. It does not tell the path, which may be a secret. */
    static String keyOf(URI url) {
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(url.toString().getBytes(StandardCharsets.UTF_8));
            return host(url) + '~' + HexFormat.of().formatHex(hash, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java platform has SHA-256", e);
        }
    }

    private static String host(URI url) {
        return url.getHost().toLowerCase(Locale.ROOT);
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
