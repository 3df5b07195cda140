package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How fast restores write together. */
class RestorePaceTests {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final long now = System.nanoTime() + SECOND;
    private final RestorePace pace = new RestorePace(1_000);

    @Test
    void restoresTakeTheirTurns() {
        assertThat(pace.take(500, now)).isEqualTo(now + SECOND / 2);
        assertThat(pace.take(1_000, now)).isEqualTo(now + SECOND * 3 / 2);
        assertThat(pace.take(0, now)).isEqualTo(now + SECOND * 3 / 2);
    }

    @Test
    void aPauseSavesUpNothing() {
        pace.take(500, now);

        assertThat(pace.take(1_000, now + 10 * SECOND)).isEqualTo(now + 11 * SECOND);
    }
}
