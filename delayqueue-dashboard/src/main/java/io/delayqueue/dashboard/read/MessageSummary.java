package io.delayqueue.dashboard.read;

import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A message without its payload.
 *
 * @param headers the first of its headers by name, their values cut
 * @param headersTotal number of all its headers
 */
public record MessageSummary(
        MessageState state,
        Instant time,
        @Nullable Instant due,
        int attempt,
        @Nullable Integer maxAttempts,
        @Nullable Long timeToLiveMillis,
        Instant scheduledAt,
        @Nullable Instant leaseDeadline,
        @Nullable Instant deadLetteredAt,
        @Nullable String error,
        int priority,
        int payloadBytes,
        List<Header> headers,
        int headersTotal) {

    private static final int MAX_ERROR = 20_000;
    private static final int MAX_VALUE = 1_000;
    /** Of all values together. */
    private static final int MAX_VALUES = 50_000;

    /** A header; truncated if the rest of its value is left out. */
    public record Header(String name, String value, boolean truncated) {}

    static MessageSummary of(MessageInfo message, int maxHeaders) {
        String error = message.error();
        return new MessageSummary(
                message.state(),
                message.time(),
                message.due(),
                message.attempt(),
                message.maxAttempts(),
                message.timeToLive() == null ? null : message.timeToLive().toMillis(),
                message.scheduledAt(),
                message.leaseDeadline(),
                message.deadLetteredAt(),
                error == null ? null : Texts.first(error, MAX_ERROR),
                message.priority(),
                message.payload().length,
                headers(message.headers(), maxHeaders),
                message.headers().size());
    }

    private static List<Header> headers(Map<String, String> all, int most) {
        List<Header> headers = new ArrayList<>();
        int left = MAX_VALUES;
        for (Map.Entry<String, String> header : new TreeMap<>(all).entrySet()) {
            if (headers.size() == most || left <= 0) {
                break;
            }
            String value = header.getValue();
            int shown = Math.min(MAX_VALUE, left);
            headers.add(new Header(header.getKey(), Texts.first(value, shown), value.length() > shown));
            left -= value.length() + header.getKey().length();
        }
        return List.copyOf(headers);
    }
}
