package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConsumerOptionsTests {

    private final ConsumerOptions.Builder builder = ConsumerOptions.builder();

    @Test
    void defaultsAreThoseOfTheDocumentation() {
        ConsumerOptions defaults = ConsumerOptions.defaults();

        assertThat(defaults.concurrency()).isEqualTo(10);
        assertThat(defaults.lease()).isEqualTo(Duration.ofSeconds(30));
        assertThat(defaults.timeout()).isNull();
        assertThat(defaults.maxAttempts()).isEqualTo(3);
        assertThat(defaults.backoff()).isSameAs(ConsumerOptions.DEFAULT_BACKOFF);
        assertThat(defaults.retryable().test(new Error())).isTrue();
    }

    @Test
    void boundaryValuesAreAccepted() {
        assertThat(builder.concurrency(1).build().concurrency()).isEqualTo(1);
        assertThat(builder.concurrency(10_000).build().concurrency()).isEqualTo(10_000);
        assertThat(builder.lease(Duration.ofMillis(100)).build().lease()).hasMillis(100);
        assertThat(builder.lease(Duration.ofDays(1)).build().lease()).hasDays(1);
        assertThat(builder.timeout(Duration.ofNanos(1)).build().timeout()).hasNanos(1);
        assertThat(builder.timeout(Delay.LONGEST).build().timeout()).isEqualTo(Delay.LONGEST);
        assertThat(builder.timeout(null).build().timeout()).isNull();
        assertThat(builder.maxAttempts(1).build().maxAttempts()).isEqualTo(1);
        assertThat(builder.maxAttempts(1_000_000).build().maxAttempts()).isEqualTo(1_000_000);
    }

    @Test
    void concurrencyOutOfRangeIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.concurrency(0))
                .withMessage("concurrency must be 1 to 10,000, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.concurrency(10_001))
                .withMessageContaining("10001");
    }

    @Test
    void leaseOutOfRangeIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.lease(Duration.ZERO))
                .withMessage("lease must be PT0.1S to PT24H, not PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.lease(Duration.ofMillis(100).minusNanos(1)))
                .withMessageContaining("PT0.099999999S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.lease(Duration.ofDays(1).plusNanos(1)))
                .withMessageContaining("lease");
    }

    @Test
    void timeoutMustBePositive() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.timeout(Duration.ZERO))
                .withMessage("timeout must be positive and at most PT8760000H, not PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.timeout(Duration.ofSeconds(-1)))
                .withMessageContaining("PT-1S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.timeout(Delay.LONGEST.plusNanos(1)))
                .withMessageContaining("timeout must be positive and at most");
    }

    @Test
    void attemptsOutOfRangeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxAttempts(0))
                .withMessage("maxAttempts must be 1 to 1,000,000, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxAttempts(1_000_001))
                .withMessageContaining("1000001");
    }
}
