package io.delayqueue.gateway.callback;

import java.util.Base64;
import javax.crypto.spec.SecretKeySpec;

/** A secret of the Standard Webhooks specification: {@code whsec_} and 24 to 64 bytes in base64. Does not show itself in logs. */
final class WebhookSecret {

    static final String ALGORITHM = "HmacSHA256";

    private static final String PREFIX = "whsec_";
    private static final int FEWEST_BYTES = 24;
    private static final int MOST_BYTES = 64;

    private final SecretKeySpec key;

    private WebhookSecret(SecretKeySpec key) {
        this.key = key;
    }

    /**
     * The secret of this text.
     *
     * @throws IllegalArgumentException if it is none; the message does not quote the text
     */
    static WebhookSecret parse(String text) {
        if (!text.startsWith(PREFIX)) {
            throw new IllegalArgumentException("a webhook secret begins with " + PREFIX);
        }
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(text.substring(PREFIX.length()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("a webhook secret is " + PREFIX + " and base64; this one is no base64");
        }
        if (bytes.length < FEWEST_BYTES || bytes.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "a webhook secret has " + FEWEST_BYTES + " to " + MOST_BYTES + " bytes, not " + bytes.length);
        }
        return new WebhookSecret(new SecretKeySpec(bytes, ALGORITHM));
    }

    SecretKeySpec key() {
        return key;
    }

    @Override
    public String toString() {
        return PREFIX + "…";
    }
}
