package io.delayqueue.benchmarks.worker;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A command to a worker, or its answer, as one line: {@code word key=value key=value}.
 *
 * @param word the command, or the result: {@link #OK}, {@link #ERROR}
 * @param values without blanks or line ends
 */
public record Line(String word, Map<String, String> values) {

    /** The command succeeded. */
    public static final String OK = "ok";

    /** The command failed; {@code message} has the error. */
    public static final String ERROR = "error";

    /** Parses a line. */
    public static Line parse(String text) {
        String[] parts = text.strip().split(" +");
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("not key=value: " + parts[i]);
            }
            values.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
        }
        return new Line(parts[0], values);
    }

    /** A line with these keys and values in turn. */
    public static Line of(String word, Object... keysAndValues) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            values.put(
                    keysAndValues[i].toString(), keysAndValues[i + 1].toString().replaceAll("\\s", "_"));
        }
        return new Line(word, values);
    }

    /** The value of a required key. */
    public String text(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException(key + " is missing in: " + this);
        }
        return value;
    }

    /** The value of a required key, as a number. */
    public long number(String key) {
        return Long.parseLong(text(key));
    }

    @Override
    public String toString() {
        return values.entrySet().stream()
                .map(entry -> " " + entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining("", word, ""));
    }
}
