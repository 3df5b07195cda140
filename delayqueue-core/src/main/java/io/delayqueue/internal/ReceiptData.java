package io.delayqueue.internal;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The content of a receipt: all that is needed to settle a claimed message, in any process.
 *
 * @param topic the message's topic
 * @param partition number of the partition that it was claimed from
 * @param id the message
 * @param generation tells it from others of its id
 * @param lease receipt of its lease, as the claim returned it
 * @param dueMicros its due time, µs since the epoch
 * @param attempt number of this attempt, from 1
 * @param maxAttempts number of attempts after which it is dead-lettered
 * @param priority its priority
 * @param suspect whether it was claimed as a suspect, and stays one if it is released
 */
public record ReceiptData(
        String topic,
        int partition,
        String id,
        String generation,
        long lease,
        long dueMicros,
        int attempt,
        int maxAttempts,
        int priority,
        boolean suspect) {

    private static final byte VERSION = 1;
    private static final int FIXED_BYTES = 2 + 3 * Integer.BYTES + 2 * Long.BYTES + 2 * Short.BYTES;
    private static final int SUSPECT_BIT = 0x10;
    private static final int PRIORITY_BITS = 0x0f;
    private static final int MAX_PRIORITY = 9;

    /** Topic and id are much shorter: a longer text is not looked at. */
    private static final int MAX_TEXT = 4096;

    /** As text of letters, digits, {@code -} and {@code _}. */
    public String encode() {
        byte[] topicBytes = topic.getBytes(StandardCharsets.UTF_8);
        byte[] idBytes = id.getBytes(StandardCharsets.UTF_8);
        byte[] generationBytes = generation.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(
                FIXED_BYTES + generationBytes.length + topicBytes.length + idBytes.length + Integer.BYTES);
        bytes.put(VERSION).put((byte) (priority | (suspect ? SUSPECT_BIT : 0)));
        bytes.putInt(partition)
                .putInt(attempt)
                .putInt(maxAttempts)
                .putLong(lease)
                .putLong(dueMicros);
        bytes.putShort((short) generationBytes.length).put(generationBytes);
        bytes.putShort((short) topicBytes.length).put(topicBytes).put(idBytes);
        bytes.putInt(checksum(bytes.array(), bytes.position()));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /** The content of such a text; an {@link IllegalArgumentException} if it is none. */
    public static ReceiptData decode(String text) {
        if (text.length() > MAX_TEXT) {
            throw noReceipt("it has " + text.length() + " characters", null);
        }
        try {
            return decode(ByteBuffer.wrap(Base64.getUrlDecoder().decode(text)));
        } catch (BufferUnderflowException e) {
            throw noReceipt("it is too short", e);
        } catch (IllegalArgumentException e) {
            throw noReceipt(String.valueOf(e.getMessage()), e);
        }
    }

    private static ReceiptData decode(ByteBuffer bytes) {
        int end = bytes.limit() - Integer.BYTES;
        if (end < FIXED_BYTES) {
            throw new BufferUnderflowException();
        }
        if (bytes.getInt(end) != checksum(bytes.array(), end)) {
            throw new IllegalArgumentException("its checksum is wrong");
        }
        bytes.limit(end);
        if (bytes.get() != VERSION) {
            throw new IllegalArgumentException("another version of delayqueue made it");
        }
        int flags = bytes.get();
        int partition = bytes.getInt();
        int attempt = bytes.getInt();
        int maxAttempts = bytes.getInt();
        long lease = bytes.getLong();
        long dueMicros = bytes.getLong();
        String generation = text(bytes, Short.toUnsignedInt(bytes.getShort()));
        String topic = text(bytes, Short.toUnsignedInt(bytes.getShort()));
        String id = text(bytes, bytes.remaining());
        int priority = flags & PRIORITY_BITS;
        if (partition < 0 || attempt < 1 || maxAttempts < 1 || lease < 0 || priority > MAX_PRIORITY) {
            throw new IllegalArgumentException("its numbers are out of range");
        }
        return new ReceiptData(
                Names.requireTopic(topic),
                partition,
                Names.requireId(topic, id),
                generation,
                lease,
                dueMicros,
                attempt,
                maxAttempts,
                priority,
                (flags & SUSPECT_BIT) != 0);
    }

    private static String text(ByteBuffer bytes, int length) {
        if (length > bytes.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] text = new byte[length];
        bytes.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    /** Tells a receipt that was cut or mistyped from one whose lease is over. */
    private static int checksum(byte[] bytes, int length) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static IllegalArgumentException noReceipt(String reason, @Nullable Throwable cause) {
        return new IllegalArgumentException("this text is no receipt: " + reason, cause);
    }
}
