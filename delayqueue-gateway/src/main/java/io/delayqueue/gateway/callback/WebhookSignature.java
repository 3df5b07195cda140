package io.delayqueue.gateway.callback;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;

/** Signs requests as the Standard Webhooks specification says, with one secret or, while it is being changed, with two. Thread-safe. */
final class WebhookSignature {

    static final String ID = "webhook-id";
    static final String TIMESTAMP = "webhook-timestamp";
    static final String SIGNATURE = "webhook-signature";

    private static final int MOST_SECRETS = 2;

    private final List<WebhookSecret> secrets;

    /** @param secrets one, or two: a receiver accepts a request if it knows either */
    WebhookSignature(List<WebhookSecret> secrets) {
        if (secrets.isEmpty() || secrets.size() > MOST_SECRETS) {
            throw new IllegalArgumentException("a target has one webhook secret or two, not " + secrets.size());
        }
        this.secrets = List.copyOf(secrets);
    }

    /**
     * The value of the header {@value #SIGNATURE}.
     *
     * @param id value of {@value #ID}; the same for each attempt
     * @param timestamp time of this attempt; {@value #TIMESTAMP} has its seconds
     */
    String sign(String id, Instant timestamp, byte[] body) {
        byte[] head = (id + "." + timestamp.getEpochSecond() + ".").getBytes(StandardCharsets.UTF_8);
        return secrets.stream()
                .map(secret -> "v1," + Base64.getEncoder().encodeToString(mac(secret, head, body)))
                .collect(Collectors.joining(" "));
    }

    private static byte[] mac(WebhookSecret secret, byte[] head, byte[] body) {
        try {
            Mac mac = Mac.getInstance(WebhookSecret.ALGORITHM);
            mac.init(secret.key());
            mac.update(head);
            return mac.doFinal(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each Java platform has " + WebhookSecret.ALGORITHM, e);
        }
    }
}
