package io.delayqueue.spring.operator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogTextTests {

    @Test
    void lineStaysOneLineInItsDirection() {
        assertThat(LogText.of("a\nb\r\u2028c\u202ed\u0000e\u001b[31mf")).isEqualTo("a?b??c?d?e?[31mf");
    }

    @Test
    void longTextIsCutAtAWholeCharacter() {
        assertThat(LogText.of("😀".repeat(101))).isEqualTo("😀".repeat(100) + "…");
        assertThat(LogText.of("😀".repeat(100))).isEqualTo("😀".repeat(100));
    }
}
