package io.delayqueue.gateway.callback;

import io.delayqueue.Backoff;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a message's own delays between attempts. */
final class MessageDelays {

    private static final int MOST = 100;

    private MessageDelays() {}

    /**
     * The delays that a message asks for; null if it asks for none.
     *
     * @throws IllegalArgumentException if the header is malformed
     */
    static @Nullable Backoff of(Map<String, String> headers) {
        String value = headers.get(CallbackMessageHeaders.DELAYS);
        return value == null ? null : parse(value);
    }

    private static Backoff parse(String value) {
        String[] texts = value.split(",", -1);
        if (texts.length > MOST) {
            throw new IllegalArgumentException(
                    "header '" + CallbackMessageHeaders.DELAYS + "' has more than " + MOST + " delays");
        }
        List<Duration> delays = new ArrayList<>();
        for (String text : texts) {
            delays.add(duration(text.strip()));
        }
        try {
            return Backoff.delays(delays);
        } catch (IllegalArgumentException e) {
            throw malformed();
        }
    }

    private static Duration duration(String text) {
        try {
            return text.matches("\\d{1,9}") ? Duration.ofSeconds(Integer.parseInt(text)) : Duration.parse(text);
        } catch (DateTimeException e) {
            throw malformed();
        }
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException("header '" + CallbackMessageHeaders.DELAYS
                + "' must have delays such as 5,PT1M,PT1H: seconds or ISO-8601 durations, not negative");
    }
}
