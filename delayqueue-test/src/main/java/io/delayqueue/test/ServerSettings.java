package io.delayqueue.test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The lines of a {@code redis.conf}, and the variables of the process. */
final class ServerSettings {

    /** The role of a server process. */
    enum Mode {
        DATABASE,
        SENTINEL
    }

    private final List<String> lines = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
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

    void variable(String name, String value) {
        environment.put(name, value);
    }

    Map<String, String> environment() {
        return Map.copyOf(environment);
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
