package io.delayqueue.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StatTests {

    @Test
    void showsMedianAndRange() {
        assertThat(Stat.of(List.of(30.0, 10.0, 20.0)))
                .isEqualTo(new Stat(20, 10, 30))
                .hasToString("20.0 (10.0–30.0)");
        assertThat(Stat.of(List.of(4.0, 1.0, 2.0, 3.0)).median()).isEqualTo(2.5);
    }

    @Test
    void leavesOutARangeOfOneValue() {
        assertThat(Stat.of(List.of(0.0, 0.0))).hasToString("0");
    }

    @Test
    void keepsThreeSignificantDigits() {
        assertThat(Stat.text(12_345.6)).isEqualTo("12,346");
        assertThat(Stat.text(123.4)).isEqualTo("123");
        assertThat(Stat.text(12.34)).isEqualTo("12.3");
        assertThat(Stat.text(1.234)).isEqualTo("1.23");
    }
}
