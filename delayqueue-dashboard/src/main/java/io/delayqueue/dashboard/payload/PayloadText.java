package io.delayqueue.dashboard.payload;

import io.delayqueue.dashboard.payload.JsonText.Pretty;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A payload as text.
 *
 * @param kind what it is
 * @param text the text; empty if there is none to show
 * @param truncated whether the rest was left out
 * @param maskedFields number of fields that were masked
 */
public record PayloadText(Kind kind, String text, boolean truncated, int maskedFields) {

    private static final int HEX_BYTES = 16;
    private static final int MAX_HEX_LINES = 256;

    /** The kind of a payload. */
    public enum Kind {
        /** JSON. */
        JSON,
        /** Text in UTF-8. */
        TEXT,
        /** Anything else. */
        BINARY,
        /** No bytes. */
        EMPTY,
        /** No JSON, while fields are masked: it may hold their values. */
        HIDDEN
    }

    /**
     * The text of a payload.
     *
     * @param maxChars largest number of characters, roughly
     * @param maxValues largest number of JSON values
     */
    public static PayloadText of(byte[] payload, FieldMask mask, int maxChars, int maxValues) {
        if (payload.length == 0) {
            return new PayloadText(Kind.EMPTY, "", false, 0);
        }
        Pretty json = JsonText.of(payload, mask, maxChars, maxValues);
        if (json != null && !json.text().isEmpty()) {
            return new PayloadText(Kind.JSON, json.text(), json.truncated(), json.masked());
        }
        if (mask.isSet()) {
            return new PayloadText(Kind.HIDDEN, "", false, 0);
        }
        return plain(payload, maxChars).orElseGet(() -> hex(payload, maxChars));
    }

    /** All of a payload with its fields masked; empty if it is no JSON. */
    public static Optional<String> whole(byte[] payload, FieldMask mask) {
        return Optional.ofNullable(JsonText.of(payload, mask, Integer.MAX_VALUE, Integer.MAX_VALUE))
                .map(Pretty::text);
    }

    private static Optional<PayloadText> plain(byte[] payload, int maxChars) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        CharBuffer text;
        try {
            text = decoder.decode(ByteBuffer.wrap(payload));
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
        if (text.chars().anyMatch(c -> c < ' ' && c != '\t' && c != '\n' && c != '\r')) {
            return Optional.empty();
        }
        boolean truncated = text.length() > maxChars;
        int end = truncated && Character.isHighSurrogate(text.charAt(maxChars - 1)) ? maxChars - 1 : maxChars;
        return Optional.of(new PayloadText(
                Kind.TEXT, truncated ? text.subSequence(0, end).toString() : text.toString(), truncated, 0));
    }

    private static PayloadText hex(byte[] payload, int maxChars) {
        StringBuilder dump = new StringBuilder();
        int lines = 0;
        int at = 0;
        while (at < payload.length && lines < MAX_HEX_LINES && dump.length() < maxChars) {
            dump.append(String.format("%08x ", at));
            for (int i = at; i < Math.min(at + HEX_BYTES, payload.length); i++) {
                dump.append(String.format(" %02x", payload[i]));
            }
            dump.append('\n');
            at += HEX_BYTES;
            lines++;
        }
        return new PayloadText(Kind.BINARY, dump.toString(), at < payload.length, 0);
    }
}
