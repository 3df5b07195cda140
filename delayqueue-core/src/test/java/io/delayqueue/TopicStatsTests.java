package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class TopicStatsTests {

    @Test
    void pendingIsWhatWaitsAndWhatIsReady() {
        assertThat(stats(100).pending()).isEqualTo(1 + 2);
    }

    @Test
    void nothingIsUnaccountedForWhereTheEquationHolds() {
        assertThat(stats(1 + 2 + 4 + 8 + 16 + 32 + 64 + 128).unaccounted()).isZero();
    }

    @Test
    void messageLostOrDoubledIsUnaccountedFor() {
        assertThat(stats(1 + 2 + 4 + 8 + 16 + 32 + 64 + 128 + 3).unaccounted()).isEqualTo(3);
        assertThat(stats(254).unaccounted()).isEqualTo(-1);
    }

    private static TopicStats stats(long scheduled) {
        return new TopicStats(
                "orders",
                scheduled,
                1,
                2,
                4,
                8,
                16,
                32,
                64,
                128,
                1000,
                1000,
                1000,
                1000,
                1000,
                null,
                null,
                false,
                Instant.EPOCH);
    }
}
