package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BackoffTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void fixedDelayIsTheSameAfterEachAttempt() {
        assertThat(delays(Backoff.fixed(SECOND), 1, 2, 1_000_000)).containsOnly(SECOND);
    }

    @Test
    void listedDelaysComeInTurnAndTheLastStays() {
        Backoff backoff = Backoff.delays(List.of(Duration.ZERO, SECOND, Duration.ofMinutes(1)));

        assertThat(delays(backoff, 1, 2, 3, 4, 100))
                .containsExactly(
                        Duration.ZERO, SECOND, Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1));
    }

    @Test
    void exponentialDelayGrowsUpToItsMax() {
        Backoff backoff = Backoff.exponential(SECOND, 2, Duration.ofSeconds(5), 0);

        assertThat(delays(backoff, 1, 2, 3, 4, 1_000_000))
                .containsExactly(
                        SECOND,
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(5));
    }

    @Test
    void defaultIsSecondsAtFirstAndTenMinutesAtLast() {
        assertThat(ConsumerOptions.DEFAULT_BACKOFF.delayAfter(1))
                .isBetween(Duration.ofMillis(900), Duration.ofMillis(1100));
        assertThat(ConsumerOptions.DEFAULT_BACKOFF.delayAfter(100))
                .isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
    }

    /** A {@code long} of nanoseconds ends after 292 years. */
    @Test
    void exponentialDelayMayTakeCenturies() {
        Duration centuries = Duration.ofDays(365 * 600);

        assertThat(delays(Backoff.exponential(centuries, 1.5, Delay.LONGEST, 0), 1, 2, 3))
                .containsExactly(centuries, Duration.ofDays(365 * 900), Delay.LONGEST);
        assertThat(delays(Backoff.exponential(Delay.LONGEST, 1, Delay.LONGEST, 1), 1, 2, 3))
                .allSatisfy(delay -> assertThat(delay).isBetween(Duration.ZERO, Delay.LONGEST));
    }

    static Stream<ThrowingCallable> badBackoffs() {
        Duration tooLong = Delay.LONGEST.plusNanos(1);
        return Stream.of(
                () -> Backoff.fixed(Duration.ofNanos(-1)),
                () -> Backoff.fixed(tooLong),
                () -> Backoff.delays(List.of()),
                () -> Backoff.delays(List.of(SECOND, Duration.ofNanos(-1))),
                () -> Backoff.exponential(Duration.ZERO, 2, SECOND, 0),
                () -> Backoff.exponential(SECOND.negated(), 2, SECOND, 0),
                () -> Backoff.exponential(SECOND, 0.99, SECOND, 0),
                () -> Backoff.exponential(SECOND, Double.NaN, SECOND, 0),
                () -> Backoff.exponential(SECOND, Double.POSITIVE_INFINITY, SECOND, 0),
                () -> Backoff.exponential(SECOND, 2, SECOND.minusNanos(1), 0),
                () -> Backoff.exponential(SECOND, 2, tooLong, 0),
                () -> Backoff.exponential(SECOND, 2, SECOND, -0.1),
                () -> Backoff.exponential(SECOND, 2, SECOND, 1.1),
                () -> Backoff.exponential(SECOND, 2, SECOND, Double.NaN));
    }

    @ParameterizedTest
    @MethodSource("badBackoffs")
    void backoffOutOfRangeIsRefused(ThrowingCallable factory) {
        assertThatIllegalArgumentException().isThrownBy(factory::call).withMessageContaining("backoff");
    }

    private static List<Duration> delays(Backoff backoff, int... attempts) {
        return IntStream.of(attempts).mapToObj(backoff::delayAfter).toList();
    }
}
