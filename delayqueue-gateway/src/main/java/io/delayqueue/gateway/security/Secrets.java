package io.delayqueue.gateway.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Compares secrets: the only class that does. How long a comparison takes does not tell how much of a guess is right, since only hashes
 * of equal length are compared, in constant time.
 */
public final class Secrets {

    private static final int SHA256_BYTES = 32;

    private Secrets() {}

    /** SHA-256 of a text, for {@link #areEqual}. */
    public static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    /**
     * Whether two hashes are the same.
     *
     * @throws IllegalArgumentException if one is no SHA-256
     */
    public static boolean areEqual(byte[] sha256, byte[] other) {
        if (sha256.length != SHA256_BYTES || other.length != SHA256_BYTES) {
            throw new IllegalArgumentException("a SHA-256 has " + SHA256_BYTES + " bytes");
        }
        return MessageDigest.isEqual(sha256, other);
    }
}
