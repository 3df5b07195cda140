package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DelayTests {

    @Test
    void negativeDelayMeansAtOnce() {
        assertThat(Delay.of(Duration.ofNanos(-1))).isEqualTo(Delay.NONE);
        assertThat(Delay.of(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo(Delay.NONE);
        assertThat(Delay.NONE).isEqualTo(new Delay.After(Duration.ZERO));
    }

    @Test
    void thousandYearsAreTheLongestDelay() {
        assertThat(Delay.of(Duration.ofDays(365_000))).isEqualTo(new Delay.After(Delay.LONGEST));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Delay.of(Delay.LONGEST.plusNanos(1)))
                .withMessageContaining(Delay.LONGEST.toString());
    }

    @Test
    void pastInstantIsAccepted() {
        assertThat(Delay.until(Instant.MIN)).isEqualTo(new Delay.At(Instant.MIN));
    }

    @Test
    void sideDoorIsAsNarrowAsTheFrontDoor() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Delay.After(Delay.LONGEST.plusNanos(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Delay.After(Duration.ofNanos(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Delay.At(Delay.LATEST.plusNanos(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Delay.At(Instant.MAX));
    }
}
