package io.delayqueue.gateway.http.body;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Ids and generations of the messages of one request. A repeated request has the same ones, so that the queue recognises its messages.
 *
 * @param seed random text of the request
 */
public record MessageIdentity(String seed) {

    /** Id of a message that has none of its own. */
    String id(int index) {
        return hash("id", index).substring(0, 32);
    }

    /** Generation of a message. */
    String generation(int index) {
        return hash("generation", index).substring(0, 8);
    }

    private String hash(String purpose, int index) {
        try {
            byte[] input = (purpose + ' ' + index + ' ' + seed).getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(input));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
