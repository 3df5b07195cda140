package io.delayqueue.internal.redis;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A script as clients send it, for tests that watch or fake the traffic.
 *
 * @param source the text for {@code EVAL}, with its includes
 * @param digest its name for {@code EVALSHA}
 */
public record ScriptText(String source, String digest) {

    /** The script with this label, such as {@code claim}. */
    public static ScriptText of(String label) {
        Script script = Script.valueOf(label.toUpperCase(Locale.ROOT));
        return new ScriptText(new String(script.source(), StandardCharsets.UTF_8), script.digest());
    }
}
