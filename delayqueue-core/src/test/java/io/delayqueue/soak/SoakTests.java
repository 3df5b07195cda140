package io.delayqueue.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random faults for ten minutes; see {@code docs/operations/README.md}. System properties: {@code soak.duration} (such as
 * {@code PT1M}), {@code soak.seed} (for the faults of a former run in the same order), {@code soak.report} (a file).
 */
@Tag("soak")
class SoakTests {

    /** A fault every six seconds leaves a quarter of the messages in peace; a busy machine recovers much more slowly. */
    private static final int LEAST_UNDISTURBED_OF = 100;

    /** The caller sets the duration, so that the default timeout does not fit. */
    @Test
    @Timeout(value = 7, unit = TimeUnit.DAYS)
    void nothingIsLostEarlyOrUnaccountedFor() throws Exception {
        Duration duration = Duration.parse(System.getProperty("soak.duration", "PT10M"));
        long seed = Long.getLong("soak.seed", System.nanoTime());
        System.out.println("Soak of " + duration + ", seed " + seed);

        SoakReport report = new Soak(duration, seed).run();

        String text = report.markdown();
        System.out.println(text);
        Path file = Path.of(System.getProperty("soak.report", "target/soak-report.md"));
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, text);
        report.verdict().requireSound();
        assertThat(report.checks()).as("checks").isPositive();
        assertThat(report.wrong()).as("checks that failed").isZero();
        assertThat(report.drained()).as("drained").isTrue();
        assertThat(report.verdict().acknowledged()).isPositive();
        assertThat(report.undisturbed())
                .as("messages due while nothing was wrong")
                .isGreaterThan(report.verdict().acknowledged() / LEAST_UNDISTURBED_OF);
        assertThat(report.latestUndisturbed()).as("lateness without a fault").isLessThan(Soak.GUARD);
        assertThat(report.longestRecovery()).as("recovery").isLessThan(Soak.LONGEST_RECOVERY);
        assertThat(report.verdict().duplicateCount()).as("duplicates").isLessThanOrEqualTo(report.mostDuplicates());
    }
}
