package io.delayqueue.gateway.http.body;

import io.delayqueue.gateway.http.problem.ProblemException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The fields of a JSON object. Each error names its field; a field that is absent or null has no value. */
public final class Fields {

    private static final BigDecimal MOST_SECONDS =
            BigDecimal.valueOf(Duration.ofDays(365_000).toSeconds());

    private final JsonNode object;

    /**
     * The fields of an object.
     *
     * @throws ProblemException if it is no object, or has a field that is not known
     */
    public Fields(JsonNode object, Set<String> known) {
        if (!object.isObject()) {
            throw ProblemException.invalid("", "a JSON object is expected");
        }
        for (String name : object.propertyNames()) {
            if (!known.contains(name)) {
                throw ProblemException.invalid(name, "is not known");
            }
        }
        this.object = object;
    }

    /** The value as it is; null if absent, JSON's null if it is that. */
    @Nullable
    JsonNode raw(String name) {
        return object.get(name);
    }

    private @Nullable JsonNode value(String name) {
        JsonNode value = object.get(name);
        return value == null || value.isNull() ? null : value;
    }

    /** A text. */
    public @Nullable String text(String name) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        if (!value.isString()) {
            throw ProblemException.invalid(name, "must be a string");
        }
        return value.stringValue();
    }

    /** A whole number in a range. */
    public @Nullable Integer integer(String name, int least, int most) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        if (!value.isIntegralNumber()
                || !value.canConvertToInt()
                || value.intValue() < least
                || value.intValue() > most) {
            throw ProblemException.invalid(name, "must be a whole number from " + least + " to " + most);
        }
        return value.intValue();
    }

    /** A duration: a number of seconds, of which milliseconds count, or ISO 8601, such as {@code PT30M}. Not negative. */
    public @Nullable Duration duration(String name) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        Duration duration = value.isNumber() ? seconds(name, value.decimalValue()) : isoDuration(name, value);
        if (duration.isNegative()) {
            throw ProblemException.invalid(name, "must not be negative");
        }
        return duration;
    }

    private static Duration seconds(String name, BigDecimal seconds) {
        // compared before it is scaled: 1e999999999 would fill the memory
        if (seconds.signum() != 0
                && (seconds.precision() - (long) seconds.scale() > 12
                        || seconds.abs().compareTo(MOST_SECONDS) > 0)) {
            throw ProblemException.invalid(name, "must be at most " + MOST_SECONDS.toPlainString() + " seconds");
        }
        if (seconds.signum() == 0 || seconds.precision() - (long) seconds.scale() < -9) {
            return seconds.signum() < 0 ? Duration.ofMillis(-1) : Duration.ofMillis(seconds.signum());
        }
        return Duration.ofMillis(
                seconds.movePointRight(3).setScale(0, RoundingMode.UP).longValueExact());
    }

    private static Duration isoDuration(String name, JsonNode value) {
        try {
            return Duration.parse(value.isString() ? value.stringValue() : "");
        } catch (DateTimeException | ArithmeticException e) {
            throw ProblemException.invalid(name, "must be a number of seconds, or an ISO 8601 duration such as PT30M");
        }
    }

    /** An instant in ISO 8601, with an offset. */
    public @Nullable Instant instant(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw ProblemException.invalid(name, "must be an ISO 8601 instant such as 2030-01-31T12:00:00Z");
        }
    }

    /** An object with texts only; empty if absent. */
    Map<String, String> texts(String name) {
        JsonNode value = value(name);
        if (value == null) {
            return Map.of();
        }
        if (!value.isObject()) {
            throw ProblemException.invalid(name, "must be an object");
        }
        Map<String, String> texts = new LinkedHashMap<>();
        value.properties().forEach(entry -> {
            if (!entry.getValue().isString()) {
                throw ProblemException.invalid(name + "." + entry.getKey(), "must be a string");
            }
            texts.put(entry.getKey(), entry.getValue().stringValue());
        });
        return texts;
    }
}
