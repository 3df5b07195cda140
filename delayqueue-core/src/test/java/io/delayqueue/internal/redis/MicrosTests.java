package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import java.time.Duration;
import java.time.Instant;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class MicrosTests {

    private static final long YEAR_9999 = 253_402_300_799_999_999L;

    @Test
    void partsOfAMicrosecondAreRoundedUp() {
        assertThat(Micros.of(Duration.ofNanos(1))).isEqualTo(1);
        assertThat(Micros.of(Duration.ofNanos(1000))).isEqualTo(1);
        assertThat(Micros.of(Duration.ofNanos(1001))).isEqualTo(2);
        assertThat(Micros.of(Instant.ofEpochSecond(1, 1))).isEqualTo(1_000_001);
        assertThat(Micros.of(Duration.ofSeconds(2, 999_999_999))).isEqualTo(3_000_000);
    }

    @Test
    void timesBeyondTheLimitsAreTheLimit() {
        assertThat(Micros.of(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Micros.of(Delay.LONGEST));
        assertThat(Micros.of(Duration.ofSeconds(Long.MIN_VALUE))).isZero();
        assertThat(Micros.of(Instant.MAX)).isEqualTo(YEAR_9999);
        assertThat(Micros.of(Instant.MIN)).isZero();
    }

    @Test
    void delaysAreWrittenAsTheScriptsTakeThem() {
        assertThat(Micros.due(Delay.NONE)).isEqualTo(-1);
        assertThat(Micros.due(Delay.of(Duration.ofMillis(1)))).isEqualTo(-1001);
        assertThat(Micros.due(Delay.of(Delay.LONGEST))).isEqualTo(-31_536_000_000_000_001L);
        assertThat(Micros.due(Delay.until(Instant.ofEpochSecond(1)))).isEqualTo(1_000_000);
        assertThat(Micros.due(Delay.until(Instant.parse("1900-01-01T00:00:00Z"))))
                .isZero();
    }

    @Property
    void scoresAreNeverEarlierAndLessThanAMillisecondLater(@ForAll @LongRange(max = YEAR_9999) long micros) {
        long score = Micros.roundedUpToScore(micros);

        assertThat(score).isBetween(micros, micros + 999);
        assertThat((long) (double) score).isEqualTo(score);
    }

    @Property
    void instantsComeBackAsTheyWere(@ForAll @LongRange(max = YEAR_9999) long micros) {
        assertThat(Micros.of(Micros.instant(micros))).isEqualTo(micros);
    }
}
