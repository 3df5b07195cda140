package io.delayqueue.jdbc.outbox;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Headers as the column {@code headers} keeps them: a JSON object of strings in ASCII, sorted by name, so that no database's character
 * set changes them; null for none.
 */
public final class HeadersColumn {

    private HeadersColumn() {}

    /** Headers as text; null for none. */
    public static @Nullable String encode(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return null;
        }
        StringBuilder json = new StringBuilder("{");
        new TreeMap<>(headers).forEach((name, value) -> {
            json.append(json.length() == 1 ? "" : ",");
            string(json, name);
            json.append(':');
            string(json, value);
        });
        return json.append('}').toString();
    }

    /**
     * The headers of a text.
     *
     * @throws IllegalArgumentException if it is no JSON object of strings
     */
    public static Map<String, String> decode(@Nullable String json) {
        return json == null ? Map.of() : new Parser(json).object();
    }

    private static void string(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                json.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    json.append(Character.forDigit(c >> shift & 15, 16));
                }
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }

    /** Reads an object of strings, as any program may have written it. */
    private static final class Parser {

        private final String json;
        private int at;

        Parser(String json) {
            this.json = json;
        }

        Map<String, String> object() {
            Map<String, String> headers = new LinkedHashMap<>();
            expect('{');
            if (peek() == '}') {
                at++;
            } else {
                char next;
                do {
                    String name = string();
                    expect(':');
                    headers.put(name, string());
                    next = token();
                } while (next == ',');
                if (next != '}') {
                    throw failure();
                }
            }
            if (peek() != 0) {
                throw failure();
            }
            return headers;
        }

        private String string() {
            expect('"');
            StringBuilder text = new StringBuilder();
            for (char c = next(); c != '"'; c = next()) {
                text.append(c == '\\' ? escaped(next()) : c);
            }
            return text.toString();
        }

        private char escaped(char c) {
            return switch (c) {
                case '"', '\\', '/' -> c;
                case 'b' -> '\b';
                case 'f' -> '\f';
                case 'n' -> '\n';
                case 'r' -> '\r';
                case 't' -> '\t';
                case 'u' -> hexadecimal();
                default -> throw failure();
            };
        }

        private char hexadecimal() {
            int value = 0;
            for (int i = 0; i < 4; i++) {
                int digit = Character.digit(next(), 16);
                if (digit < 0) {
                    throw failure();
                }
                value = value * 16 + digit;
            }
            return (char) value;
        }

        private char next() {
            if (at >= json.length()) {
                throw failure();
            }
            return json.charAt(at++);
        }

        /** The next character that is no white space, without taking it; 0 at the end. */
        private char peek() {
            while (at < json.length() && json.charAt(at) <= ' ') {
                at++;
            }
            return at < json.length() ? json.charAt(at) : 0;
        }

        private char token() {
            char c = peek();
            at++;
            return c;
        }

        private void expect(char expected) {
            if (token() != expected) {
                throw failure();
            }
        }

        private IllegalArgumentException failure() {
            return new IllegalArgumentException(
                    "headers are no JSON object of strings: not understood at character " + at);
        }
    }
}
