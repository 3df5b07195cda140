package io.delayqueue.spring.listener;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.StringUtils;

/** Reads the attributes of one method's annotation: placeholders, SpEL, numbers, durations. Names the invalid one. */
final class AttributeReader {

    private final ConfigurableBeanFactory beanFactory;
    private final Method method;

    AttributeReader(ConfigurableBeanFactory beanFactory, Method method) {
        this.beanFactory = beanFactory;
        this.method = method;
    }

    /** The text with placeholders and SpEL resolved; empty if there is none. */
    String text(String attribute, String text) {
        Object value = resolve(attribute, text);
        return value == null ? "" : value.toString();
    }

    @Nullable
    Integer integer(String attribute, String text, RangeCheck<Integer> check) {
        return read(
                attribute,
                text,
                "a whole number",
                value -> Integer.valueOf(value.toString().trim()),
                check);
    }

    @Nullable
    Double decimal(String attribute, String text) {
        return read(
                attribute,
                text,
                "a number",
                value -> Double.valueOf(value.toString().trim()),
                value -> value);
    }

    @Nullable
    Boolean flag(String attribute, String text) {
        return read(attribute, text, "true or false", AttributeReader::toBoolean, value -> value);
    }

    @Nullable
    Duration duration(String attribute, String text, RangeCheck<Duration> check) {
        return read(attribute, text, "a duration such as 30s, 500ms, 5m or PT30S", AttributeReader::toDuration, check);
    }

    /** A duration, or zero for {@code none} and 0. */
    @Nullable
    Duration durationOrNone(String attribute, String text, RangeCheck<Duration> check) {
        return read(
                attribute,
                text,
                "a duration such as 30s, 500ms, 5m or PT30S, or none",
                value -> value.toString().trim().equals("none") ? Duration.ZERO : toDuration(value),
                value -> value.isZero() ? value : check.accept(value));
    }

    /** Durations; an element may hold several of them: as text with commas, an array or a collection. */
    List<Duration> durations(String attribute, String[] texts) {
        List<Duration> durations = new ArrayList<>();
        for (String text : texts) {
            List<Duration> several = read(
                    attribute, text, "one or more durations such as 1s, 10s, 5m", AttributeReader::toDurations, v -> v);
            if (several != null) {
                durations.addAll(several);
            }
        }
        return durations;
    }

    InvalidListenerException invalid(String attribute, String problem, @Nullable Throwable cause) {
        return new InvalidListenerException(method, attribute, problem, cause);
    }

    private <T> @Nullable T read(
            String attribute, String text, String expected, Function<Object, T> parse, RangeCheck<T> check) {
        Object value = resolve(attribute, text);
        if (value == null || value instanceof String string && string.isBlank()) {
            return null;
        }
        T parsed;
        try {
            parsed = parse.apply(value);
        } catch (IllegalArgumentException e) {
            String written = text.equals(value.toString()) ? "'" + text + "'" : "'" + value + "' (from '" + text + "')";
            throw invalid(attribute, written + " is not " + expected, e);
        }
        try {
            check.accept(parsed);
        } catch (IllegalArgumentException e) {
            throw invalid(attribute, String.valueOf(e.getMessage()), e);
        }
        return parsed;
    }

    private @Nullable Object resolve(String attribute, String text) {
        try {
            String embedded = beanFactory.resolveEmbeddedValue(text);
            BeanExpressionResolver expressions = beanFactory.getBeanExpressionResolver();
            return expressions == null
                    ? embedded
                    : expressions.evaluate(embedded, new BeanExpressionContext(beanFactory, null));
        } catch (RuntimeException e) {
            throw invalid(attribute, "can't resolve '" + text + "': " + e.getMessage(), e);
        }
    }

    private static Boolean toBoolean(Object value) {
        return switch (value.toString().trim()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException();
        };
    }

    private static Duration toDuration(Object value) {
        return value instanceof Duration duration
                ? duration
                : DurationFormatterUtils.detectAndParse(value.toString().trim());
    }

    private static List<Duration> toDurations(Object value) {
        Object[] several = value instanceof Iterable<?> iterable
                ? toList(iterable).toArray()
                : value instanceof String text
                        ? StringUtils.commaDelimitedListToStringArray(text)
                        : ObjectUtils.toObjectArray(value);
        if (several.length == 0) {
            several = new Object[] {value};
        }
        return Arrays.stream(several).map(AttributeReader::toDuration).toList();
    }

    private static List<Object> toList(Iterable<?> iterable) {
        List<Object> list = new ArrayList<>();
        iterable.forEach(list::add);
        return list;
    }

    /** Accepts a value, or throws an {@link IllegalArgumentException} that names the problem. */
    @FunctionalInterface
    interface RangeCheck<T> {
        @Nullable
        Object accept(T value);
    }
}
