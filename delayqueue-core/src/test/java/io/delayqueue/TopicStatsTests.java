package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class TopicStatsTests {

    @Test
    void pendingIsScheduledAndReadyTogether() {
        assertThat(stats(100).pending().total()).isEqualTo(1 + 2);
    }

    @Test
    void nothingIsUnaccountedForWhileTheEquationHolds() {
        assertThat(stats(1 + 2 + 4 + 8 + 16 + 32 + 64 + 128).unaccounted()).isZero();
    }

    @Test
    void messageLostOrDoubledIsUnaccountedFor() {
        assertThat(stats(1 + 2 + 4 + 8 + 16 + 32 + 64 + 128 + 3).unaccounted()).isEqualTo(3);
        assertThat(stats(254).unaccounted()).isEqualTo(-1);
    }

    private static TopicStats stats(long accepted) {
        return new TopicStats(
                "orders",
                new TopicStats.Pending(1, 2, null, null),
                4,
                8,
                new TopicStats.Totals(accepted, 16, 32, 64, 128, 1000, 1000, 1000, 1000, 1000, 0),
                Instant.EPOCH,
                false);
    }
}
