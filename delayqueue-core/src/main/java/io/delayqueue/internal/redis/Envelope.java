package io.delayqueue.internal.redis;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.UnexpectedReplyException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A message as it is kept in the {@code messages} hash: text that can be read in redis-cli, then the payload's own bytes.
 *
 * <pre>
 * 1          version
 * S          what scheduling it answered: S scheduled, R replaced; the script sets it
 * 4          priority
 * t or -     whether it has a time to live
 * 8 chars    nonce of the scheduling
 * m,t,s,l;   most attempts or empty, time to live in µs or empty, scheduled at in ms since the epoch, length of headers
 * headers    a name=value line each, see {@link HeaderLines}
 * payload
 * </pre>
 *
 * The scripts read all but the headers and the payload. A later version keeps the first four characters as they are, and
 * has a later digit, or a capital letter, in front.
 */
record Envelope(
        byte[] payload,
        Map<String, String> headers,
        int priority,
        @Nullable Integer maxAttempts,
        @Nullable Duration timeToLive,
        Instant scheduledAt) {

    /** Longer than the longest prelude: 12 fixed characters, 10 + 17 + 20 + 10 digits and 4 separators. */
    private static final int LONGEST_PRELUDE = 96;

    private static final String LATER = "23456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    private static final Pattern PRELUDE =
            Pattern.compile("1[SR]([0-9])([-t])(.{8})([0-9]{0,10}),([0-9]{0,18}),(-?[0-9]{1,18}),([0-9]{1,10});");

    static byte[] encode(OutgoingMessage message, Instant scheduledAt) {
        Duration timeToLive = message.timeToLive();
        Integer maxAttempts = message.maxAttempts();
        byte[] headers = HeaderLines.encode(message.headers());
        StringBuilder prelude = new StringBuilder(LONGEST_PRELUDE)
                .append("1S")
                .append(message.priority())
                .append(timeToLive == null ? '-' : 't')
                .append(message.nonce())
                .append(maxAttempts == null ? "" : maxAttempts.toString())
                .append(',')
                .append(timeToLive == null ? "" : Micros.of(timeToLive))
                .append(',')
                .append(scheduledAt.toEpochMilli())
                .append(',')
                .append(headers.length)
                .append(';');
        byte[] start = prelude.toString().getBytes(StandardCharsets.ISO_8859_1);
        byte[] payload = message.payload();
        byte[] envelope = Arrays.copyOf(start, start.length + headers.length + payload.length);
        System.arraycopy(headers, 0, envelope, start.length, headers.length);
        System.arraycopy(payload, 0, envelope, start.length + headers.length, payload.length);
        return envelope;
    }

    /** The message in these bytes, or an exception that names it. */
    static Envelope decode(byte[] bytes, String topic, String id) {
        if (bytes.length > 0 && LATER.indexOf(bytes[0]) >= 0) {
            throw new UnexpectedReplyException(
                    "message '" + id + "' of topic '" + topic
                            + "' was written by a later version of delayqueue (envelope " + (char) bytes[0]
                            + "; this one reads 1): look at it with that version",
                    topic,
                    id,
                    null);
        }
        String start = new String(bytes, 0, Math.min(bytes.length, LONGEST_PRELUDE), StandardCharsets.ISO_8859_1);
        Matcher prelude = PRELUDE.matcher(start);
        if (!prelude.lookingAt()) {
            throw damaged("does not begin as an envelope does", topic, id, null);
        }
        String maxAttempts = prelude.group(4);
        String timeToLive = prelude.group(5);
        try {
            int payloadAt = Math.addExact(prelude.end(), Integer.parseInt(prelude.group(7)));
            if (payloadAt > bytes.length) {
                throw damaged("is cut off", topic, id, null);
            }
            return new Envelope(
                    Arrays.copyOfRange(bytes, payloadAt, bytes.length),
                    HeaderLines.decode(Arrays.copyOfRange(bytes, prelude.end(), payloadAt)),
                    Integer.parseInt(prelude.group(1)),
                    maxAttempts.isEmpty() ? null : Integer.valueOf(maxAttempts),
                    timeToLive.isEmpty() ? null : Micros.duration(Long.parseLong(timeToLive)),
                    Instant.ofEpochMilli(Long.parseLong(prelude.group(6))));
        } catch (ArithmeticException | IllegalArgumentException e) {
            throw damaged("has a number or header that can't be", topic, id, e);
        }
    }

    private static UnexpectedReplyException damaged(String how, String topic, String id, @Nullable Exception cause) {
        return new UnexpectedReplyException(
                "message '" + id + "' of topic '" + topic + "' is damaged in Redis: its body " + how
                        + ". Was it written by something else?",
                topic,
                id,
                cause);
    }
}
