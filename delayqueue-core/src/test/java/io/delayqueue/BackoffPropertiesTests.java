package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** Properties of every exponential backoff, however odd. */
class BackoffPropertiesTests {

    private static final double ROUNDING = 1e-6;

    @Property(tries = 2000)
    void delayStaysWithinItsJitterAndBelowItsMax(
            @ForAll @LongRange(min = 1, max = 10_000_000_000L) long initialNanos,
            @ForAll @DoubleRange(min = 1, max = 1000) double multiplier,
            @ForAll @LongRange(min = 0, max = 1_000_000_000_000_000L) long headroomNanos,
            @ForAll @DoubleRange(min = 0, max = 1) double jitter,
            @ForAll @IntRange(min = 1, max = 1_000_000) int attempt) {
        Duration max = Duration.ofNanos(initialNanos + headroomNanos);
        Backoff backoff = Backoff.exponential(Duration.ofNanos(initialNanos), multiplier, max, jitter);

        Duration delay = backoff.delayAfter(attempt);

        double middle = Math.min(max.toNanos(), initialNanos * Math.pow(multiplier, attempt - 1));
        assertThat(delay).isBetween(Duration.ZERO, max);
        assertThat((double) delay.toNanos())
                .isBetween(
                        middle * (1 - jitter) * (1 - ROUNDING) - 1,
                        Math.min(max.toNanos(), middle * (1 + jitter)) * (1 + ROUNDING) + 1);
    }

    @Property(tries = 200)
    void jitterVariesTheDelayBothWays(@ForAll @DoubleRange(min = 0.1, max = 1) double jitter) {
        Backoff backoff = Backoff.exponential(Duration.ofHours(1), 1, Duration.ofHours(10), jitter);
        boolean shorter = false;
        boolean longer = false;
        for (int i = 0; i < 100; i++) {
            int order = backoff.delayAfter(1).compareTo(Duration.ofHours(1));
            shorter |= order < 0;
            longer |= order > 0;
        }

        assertThat(shorter && longer).isTrue();
    }
}
