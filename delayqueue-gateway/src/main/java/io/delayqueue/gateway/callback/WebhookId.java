package io.delayqueue.gateway.callback;

import io.delayqueue.OutboxOperation;
import io.delayqueue.ReceivedMessage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.stream.Stream;

/**
 * The id by which a receiver recognises a message, the same for each attempt. A later message with the same id has another one, and so
 * has one that a journal restored. It is derived, so it does not disclose the message's own id.
 */
final class WebhookId {

    private static final String PREFIX = "msg_";
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
    private static final int CHARACTERS = 26;
    private static final int BITS_OF_A_CHARACTER = 5;

    private WebhookId() {}

    static String of(ReceivedMessage message) {
        String restored = message.headers().get(OutboxOperation.RESTORED_HEADER);
        byte[] hash = restored == null
                ? hash(message.topic(), message.id(), message.generation())
                : hash(message.topic(), message.id(), message.generation(), restored);
        StringBuilder text = new StringBuilder(PREFIX);
        for (int i = 0; i < CHARACTERS; i++) {
            text.append(ALPHABET.charAt(bits(hash, i * BITS_OF_A_CHARACTER)));
        }
        return text.toString();
    }

    /** Five bits from this one on. */
    private static int bits(byte[] hash, int from) {
        int index = from / Byte.SIZE;
        int two = (hash[index] & 0xff) << Byte.SIZE | hash[index + 1] & 0xff;
        return two >>> (2 * Byte.SIZE - BITS_OF_A_CHARACTER - from % Byte.SIZE) & 0x1f;
    }

    /** Each part with its length, so that no two messages have the same text. */
    private static byte[] hash(String... parts) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            Stream.of(parts).map(part -> part.getBytes(StandardCharsets.UTF_8)).forEach(part -> {
                sha256.update(
                        ByteBuffer.allocate(Integer.BYTES).putInt(part.length).flip());
                sha256.update(part);
            });
            return sha256.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java platform has SHA-256", e);
        }
    }
}
