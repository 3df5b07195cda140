package io.delayqueue.jdbc;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A position in the results of a search: after the last message of a page.
 *
 * @param micros the time that the results are ordered by, µs since the epoch
 * @param topic topic of the message
 * @param id its id
 * @param generation its generation
 */
public record JournalPosition(long micros, String topic, String id, String generation) {

    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    /** The position as a text of letters, digits, dots, hyphens and underscores, such as for a URL. */
    public String encode() {
        return micros + "." + encode(topic) + "." + encode(id) + "." + encode(generation);
    }

    /**
     * The position of such a text.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static JournalPosition decode(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != 4) {
            throw new IllegalArgumentException("'" + text + "' is no position of a search");
        }
        return new JournalPosition(Long.parseLong(parts[0]), part(parts[1]), part(parts[2]), part(parts[3]));
    }

    private static String encode(String part) {
        return ENCODER.encodeToString(part.getBytes(StandardCharsets.UTF_8));
    }

    private static String part(String text) {
        return new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
    }
}
