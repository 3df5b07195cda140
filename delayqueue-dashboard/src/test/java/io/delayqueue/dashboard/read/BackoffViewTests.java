package io.delayqueue.dashboard.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Backoff;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Both kinds of the library are told apart, and an application's own. */
class BackoffViewTests {

    @Test
    void listHasItsDelays() {
        assertThat(BackoffView.of(Backoff.delays(List.of(Duration.ZERO, Duration.ofMillis(1_500), Duration.ofDays(2))))
                        .delays())
                .containsExactly(0L, 1_500L, 172_800_000L);
        assertThat(BackoffView.of(Backoff.fixed(Duration.ofSeconds(3))).delays())
                .containsExactly(3_000L);
    }

    @Test
    void growingOneHasItsNumbers() {
        assertThat(BackoffView.of(Backoff.exponential(Duration.ofMillis(250), 1.5, Duration.ofHours(1), 0.2)))
                .extracting(
                        BackoffView::delays,
                        BackoffView::initialMillis,
                        BackoffView::multiplier,
                        BackoffView::maxMillis,
                        BackoffView::jitter)
                .containsExactly(List.of(), 250L, 1.5, 3_600_000L, 0.2);
    }

    @Test
    void applicationsOwnIsItsText() {
        assertThat(BackoffView.of(new Backoff() {
                    @Override
                    public Duration delayAfter(int attempt) {
                        return Duration.ZERO;
                    }

                    @Override
                    public String toString() {
                        return "ListedBackoff[delays=[PT1S]]";
                    }
                }))
                .extracting(BackoffView::delays, BackoffView::initialMillis, BackoffView::text)
                .containsExactly(List.of(), null, "ListedBackoff[delays=[PT1S]]");
    }
}
