package io.delayqueue.internal.redis;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Headers as {@code name=value} lines of UTF-8. {@code %}, {@code =} and control characters are written {@code %0A},
 * halves of surrogate pairs {@code %uD83D}, so that every string comes back as it was.
 */
final class HeaderLines {

    private static final byte[] NONE = {};

    private HeaderLines() {}

    static byte[] encode(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return NONE;
        }
        StringBuilder lines = new StringBuilder();
        headers.forEach((name, value) -> {
            escape(name, lines);
            lines.append('=');
            escape(value, lines);
            lines.append('\n');
        });
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The headers, or an {@link IllegalArgumentException}. */
    static Map<String, String> decode(byte[] bytes) {
        if (bytes.length == 0) {
            return Map.of();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        String lines = new String(bytes, StandardCharsets.UTF_8);
        int from = 0;
        while (from < lines.length()) {
            int end = lines.indexOf('\n', from);
            int equals = lines.indexOf('=', from);
            if (end < 0 || equals < 0 || equals > end) {
                throw new IllegalArgumentException("a header is no name=value line");
            }
            headers.put(unescape(lines.substring(from, equals)), unescape(lines.substring(equals + 1, end)));
            from = end + 1;
        }
        return headers;
    }

    private static void escape(String text, StringBuilder target) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                target.append(c).append(text.charAt(++i));
            } else if (Character.isSurrogate(c)) {
                target.append(String.format("%%u%04X", (int) c));
            } else if (c < ' ' || c == 0x7f || c == '%' || c == '=') {
                target.append(String.format("%%%02X", (int) c));
            } else {
                target.append(c);
            }
        }
    }

    private static String unescape(String text) {
        int percent = text.indexOf('%');
        if (percent < 0) {
            return text;
        }
        StringBuilder plain = new StringBuilder(text.length());
        int from = 0;
        while (percent >= 0) {
            boolean wide = text.startsWith("u", percent + 1);
            int digits = percent + (wide ? 2 : 1);
            int end = digits + (wide ? 4 : 2);
            if (end > text.length()) {
                throw new IllegalArgumentException("a header's escape is cut off");
            }
            plain.append(text, from, percent).append((char) Integer.parseInt(text.substring(digits, end), 16));
            from = end;
            percent = text.indexOf('%', from);
        }
        return plain.append(text, from, text.length()).toString();
    }
}
