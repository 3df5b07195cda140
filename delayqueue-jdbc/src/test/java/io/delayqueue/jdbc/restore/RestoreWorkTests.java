package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Pace and progress of a restore, without one. */
class RestoreWorkTests {

    private final List<RestoreProgress> told = new ArrayList<>();
    private final RestoreTally tally = new RestoreTally(new AtomicLong());
    private final RestoreWork work = new RestoreWork("orders", new RestorePace(1_000), tally, told::add);

    @Test
    void progressMovesWhileARestoreWaits() {
        tally.scanned.addAndGet(10);
        work.step(0, () -> 7);
        told.clear();

        work.await(Duration.ofMillis(250));
        work.await(() -> told.size() > 5, Duration.ofMinutes(1));

        assertThat(told).hasSizeGreaterThan(5).allSatisfy(progress -> {
            assertThat(progress.scanned()).isEqualTo(10);
            assertThat(progress.remaining()).isEqualTo(7);
        });
        assertThat(told).extracting(RestoreProgress::running).isSorted().doesNotHaveDuplicates();
    }
}
