package io.delayqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class NanosTests {

    @Test
    void shortDurationsAreExact() {
        assertThat(Nanos.of(Duration.ZERO)).isZero();
        assertThat(Nanos.of(Duration.ofNanos(7))).isEqualTo(7);
        assertThat(Nanos.of(Duration.ofDays(1).plusNanos(1)))
                .isEqualTo(Duration.ofDays(1).toNanos() + 1);
    }

    @Test
    void longOnesAreCutSoThatTheyCanBeAddedToATime() {
        long longest = Nanos.of(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));

        assertThat(Duration.ofNanos(longest)).isEqualTo(Duration.ofDays(36_500));
        assertThat(Long.MAX_VALUE / 2).isGreaterThan(longest);
    }
}
