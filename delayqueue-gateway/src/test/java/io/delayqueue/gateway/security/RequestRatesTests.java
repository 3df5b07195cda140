package io.delayqueue.gateway.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RequestRatesTests {

    // near the end of the numbers, which nanoTime may reach
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final RequestRates rates = new RequestRates(10, nanos::get);

    @Test
    void oneSecondsRequestsPassAtOnceAndFurtherOnesAtTheRate() {
        for (int i = 0; i < 10; i++) {
            assertThat(rates.tryRequest("shop")).isTrue();
        }
        assertThat(rates.tryRequest("shop")).isFalse();
        nanos.addAndGet(99_000_000);
        assertThat(rates.tryRequest("shop")).isFalse();
        nanos.addAndGet(2_000_000);
        assertThat(rates.tryRequest("shop")).isTrue();
        assertThat(rates.tryRequest("shop")).isFalse();
    }

    @Test
    void quietCallerSavesNoMoreThanOneSecondsRequests() {
        rates.tryRequest("shop");
        nanos.addAndGet(3_600_000_000_000L);
        for (int i = 0; i < 10; i++) {
            assertThat(rates.tryRequest("shop")).isTrue();
        }
        assertThat(rates.tryRequest("shop")).isFalse();
    }

    @Test
    void callersHaveTheirOwnRates() {
        for (int i = 0; i < 20; i++) {
            rates.tryRequest("shop");
        }
        assertThat(rates.tryRequest("mail")).isTrue();
    }

    @Test
    void callersAreForgottenInTheEnd() {
        for (int i = 0; i < RequestRates.MAX_CALLERS + 100; i++) {
            rates.tryRequest("user" + i);
        }
        assertThat(rates.callers()).isEqualTo(RequestRates.MAX_CALLERS);
    }

    @Test
    void zeroIsNoLimit() {
        RequestRates none = new RequestRates(0);
        for (int i = 0; i < 1_000; i++) {
            assertThat(none.tryRequest("shop")).isTrue();
        }
        assertThatIllegalArgumentException().isThrownBy(() -> new RequestRates(-1));
    }
}
