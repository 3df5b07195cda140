package io.delayqueue.internal.redis;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.UnexpectedReplyException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as it is kept in the {@code messages} hash: text that can be read in redis-cli, then the payload's own bytes.
 *
 * <pre>
 * 1          version
 * S          outcome of its schedule: S scheduled, R replaced; the script sets it
 * 4          priority
 * t or -     whether it has a time to live
 * 8 chars    generation: nonce of the scheduling
 * m,t,s,l;   most attempts or empty, time to live in µs or empty, scheduled at in ms since the epoch, length of headers
 * headers    a name=value line each, see {@link HeaderLines}
 * payload
 * </pre>
 *
 * The scripts read all but the headers and the payload. A newer version keeps the first four characters as they are,
 * and begins with a later digit or a capital letter.
 */
record Envelope(
        String generation,
        byte[] payload,
        Map<String, String> headers,
        int priority,
        @Nullable Integer maxAttempts,
        @Nullable Duration timeToLive,
        Instant scheduledAt) {

    /** Longer than the longest prelude: 12 fixed characters, 10 + 17 + 20 + 10 digits and 4 separators. */
    private static final int LONGEST_PRELUDE = 96;

    /** First characters: of the versions that this one reads, then of the newer ones. */
    private static final String VERSIONS = "1|23456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    private static final String NO_PRELUDE = "does not begin like a message of this library";
    private static final int KNOWN_VERSIONS = VERSIONS.indexOf('|');

    static byte[] encode(OutgoingMessage message, Instant scheduledAt) {
        Duration timeToLive = message.timeToLive();
        Integer maxAttempts = message.maxAttempts();
        byte[] headers = HeaderLines.encode(message.headers());
        StringBuilder prelude = new StringBuilder(LONGEST_PRELUDE)
                .append("1S")
                .append(message.priority())
                .append(timeToLive == null ? '-' : 't')
                .append(message.generation())
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
        int version = bytes.length == 0 ? -1 : VERSIONS.indexOf(bytes[0]);
        if (version > KNOWN_VERSIONS) {
            throw new UnexpectedReplyException(
                    "message '" + id + "' of topic '" + topic
                            + "' was written by a newer version of delayqueue (envelope " + (char) bytes[0]
                            + "; this one reads 1): look at it with that version",
                    topic,
                    id,
                    null);
        }
        if (version < 0 || version == KNOWN_VERSIONS) {
            throw damaged(NO_PRELUDE, topic, id, null);
        }
        Prelude prelude;
        try {
            prelude = new Prelude(bytes);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw damaged(NO_PRELUDE, topic, id, e);
        }
        if (prelude.headers > bytes.length - prelude.end) {
            throw damaged("is cut off", topic, id, null);
        }
        try {
            int payloadAt = prelude.end + (int) prelude.headers;
            return new Envelope(
                    prelude.generation,
                    Arrays.copyOfRange(bytes, payloadAt, bytes.length),
                    HeaderLines.decode(Arrays.copyOfRange(bytes, prelude.end, payloadAt)),
                    prelude.priority,
                    prelude.maxAttempts < 0 ? null : Math.toIntExact(prelude.maxAttempts),
                    prelude.timeToLive < 0 ? null : Micros.duration(prelude.timeToLive),
                    Instant.ofEpochMilli(prelude.scheduledAt));
        } catch (ArithmeticException | IllegalArgumentException e) {
            throw damaged("has an invalid number or header", topic, id, e);
        }
    }

    /** The fields before the headers. Parsed by hand, as each message is read: a regular expression takes three times as long. */
    private static final class Prelude {

        private static final int NONCE_AT = 4;
        private static final int NONCE_LENGTH = 8;
        private static final int MOST_DIGITS = 18;

        final int priority;
        final String generation;
        final long maxAttempts;
        final long timeToLive;
        final long scheduledAt;
        final long headers;
        final int end;

        private final byte[] bytes;
        private int at;

        Prelude(byte[] bytes) {
            this.bytes = bytes;
            require(bytes[1] == 'S' || bytes[1] == 'R');
            require(isDigit(bytes[2]));
            require(bytes[3] == 't' || bytes[3] == '-');
            priority = bytes[2] - '0';
            generation = new String(bytes, NONCE_AT, NONCE_LENGTH, StandardCharsets.ISO_8859_1);
            at = NONCE_AT + NONCE_LENGTH;
            maxAttempts = numberOrNothing(',');
            timeToLive = numberOrNothing(',');
            boolean before1970 = bytes[at] == '-';
            at += before1970 ? 1 : 0;
            long millis = number(',');
            scheduledAt = before1970 ? -millis : millis;
            headers = number(';');
            end = at;
        }

        private long numberOrNothing(char behind) {
            if (bytes[at] == behind) {
                at++;
                return -1;
            }
            return number(behind);
        }

        private long number(char behind) {
            int from = at;
            long value = 0;
            while (isDigit(bytes[at])) {
                value = 10 * value + bytes[at++] - '0';
                require(at - from <= MOST_DIGITS);
            }
            require(at > from && bytes[at] == behind);
            at++;
            return value;
        }

        private static boolean isDigit(byte character) {
            return character >= '0' && character <= '9';
        }

        private static void require(boolean condition) {
            if (!condition) {
                throw new IllegalArgumentException("no prelude");
            }
        }
    }

    private static UnexpectedReplyException damaged(String how, String topic, String id, @Nullable Exception cause) {
        return new UnexpectedReplyException(
                "message '" + id + "' of topic '" + topic + "' is damaged in Redis: its content " + how
                        + ". Was it written by another program?",
                topic,
                id,
                cause);
    }
}
