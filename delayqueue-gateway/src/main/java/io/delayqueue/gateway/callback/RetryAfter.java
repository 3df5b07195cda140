package io.delayqueue.gateway.callback;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Reads the header Retry-After: a number of seconds, or a date. */
final class RetryAfter {

    private static final int MOST_DIGITS = 9;

    private RetryAfter() {}

    /**
     * The delay that the header asks for, at least zero; null without a header, or if it makes no sense.
     *
     * @param now from which a date counts
     * @param most a longer delay is shortened to this one
     */
    static @Nullable Duration parse(@Nullable String value, Instant now, Duration most) {
        Duration delay = value == null ? null : parse(value.strip(), now);
        if (delay == null) {
            return null;
        }
        if (delay.isNegative()) {
            return Duration.ZERO;
        }
        return delay.compareTo(most) > 0 ? most : delay;
    }

    private static @Nullable Duration parse(String value, Instant now) {
        if (!value.isEmpty() && value.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return Duration.ofSeconds(value.length() > MOST_DIGITS ? Integer.MAX_VALUE : Integer.parseInt(value));
        }
        try {
            return Duration.between(
                    now,
                    ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME)
                            .toInstant());
        } catch (DateTimeException e) {
            return null;
        }
    }
}
