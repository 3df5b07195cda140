package io.delayqueue.test;

import java.util.ArrayList;
import java.util.List;

/** The lines of a {@code redis.conf}. */
final class ServerSettings {

    /** The role of a server process. */
    enum Mode {
        DATABASE,
        SENTINEL
    }

    private final List<String> lines = new ArrayList<>();
    private Mode mode = Mode.DATABASE;

    Mode mode() {
        return mode;
    }

    void mode(Mode wanted) {
        mode = wanted;
    }

    void add(String name, String... values) {
        if (name.isBlank() || !name.chars().allMatch(c -> c > ' ' && c != '"' && c != '\'')) {
            throw new IllegalArgumentException(
                    "setting must be the name of a redis.conf directive, not '" + name + "'");
        }
        if (values.length == 0) {
            throw new IllegalArgumentException("setting '" + name + "' needs a value");
        }
        StringBuilder line = new StringBuilder(name);
        for (String value : values) {
            line.append(' ').append(quoted(value));
        }
        lines.add(line.toString());
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    private static String quoted(String value) {
        String escaped = value.replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\n", "\\n")
                .replace("\r", "\\r");
        return '"' + escaped + '"';
    }
}
