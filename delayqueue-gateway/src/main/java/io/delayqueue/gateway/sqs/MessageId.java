package io.delayqueue.gateway.sqs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/** SQS' id of a message: a UUID, the same at each receive, another one for a later message with the same id. */
public final class MessageId {

    private MessageId() {}

    /** The UUID, made from a hash of the three texts (RFC 9562, version 5). */
    public static UUID of(String topic, String id, String generation) {
        MessageDigest sha1;
        try {
            sha1 = MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has SHA-1", e);
        }
        for (String text : new String[] {topic, id, generation}) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            sha1.update(ByteBuffer.allocate(4).putInt(bytes.length).flip());
            sha1.update(bytes);
        }
        ByteBuffer hash = ByteBuffer.wrap(sha1.digest());
        long high = hash.getLong() & 0xFFFF_FFFF_FFFF_0FFFL | 0x5000L;
        long low = hash.getLong() & 0x3FFF_FFFF_FFFF_FFFFL | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }
}
