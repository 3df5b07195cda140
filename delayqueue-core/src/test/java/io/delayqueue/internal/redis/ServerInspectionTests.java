package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Offsets of Redis' clock, as a round trip tells them. */
class ServerInspectionTests {

    private static final Instant SENT = Instant.ofEpochSecond(1_800_000_000);
    private static final Instant RECEIVED = SENT.plusSeconds(2);

    @Test
    void aClockThatWasReadWithinTheRoundTripMayBeRight() {
        assertThat(ServerInspection.clockOffset(SENT, SENT, RECEIVED)).isZero();
        assertThat(ServerInspection.clockOffset(SENT.plusMillis(1_900), SENT, RECEIVED))
                .isZero();
        assertThat(ServerInspection.clockOffset(RECEIVED, SENT, RECEIVED)).isZero();
    }

    @Test
    void aClockIsWrongByWhatNoRoundTripExplains() {
        assertThat(ServerInspection.clockOffset(SENT.minusMillis(700), SENT, RECEIVED))
                .isEqualTo(Duration.ofMillis(-700));
        assertThat(ServerInspection.clockOffset(RECEIVED.plusMillis(300), SENT, RECEIVED))
                .isEqualTo(Duration.ofMillis(300));
    }
}
