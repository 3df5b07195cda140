package io.delayqueue.jdbc.autoconfigure;

import java.time.Duration;
import org.springframework.util.unit.DataSize;

/** Refuses values of properties when they are set, so that the failure of a start names the property, its value and its file. */
final class CheckedValue {

    private CheckedValue() {}

    static int positive(int value) {
        return required(value > 0, value, "positive");
    }

    static Duration positive(Duration value) {
        return required(!value.isNegative() && !value.isZero(), value, "positive");
    }

    static DataSize positive(DataSize value) {
        return required(value.toBytes() > 0, value, "positive");
    }

    static Duration notNegative(Duration value) {
        return required(!value.isNegative(), value, "0 or positive");
    }

    static Duration between(Duration least, Duration value, Duration most) {
        return required(
                value.compareTo(least) >= 0 && value.compareTo(most) <= 0,
                value,
                "between " + least.toSeconds() + " s and " + most.toSeconds() + " s");
    }

    private static <T> T required(boolean holds, T value, String range) {
        if (!holds) {
            throw new IllegalArgumentException("must be " + range + ", not " + value);
        }
        return value;
    }
}
