package io.delayqueue.benchmarks.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LineTests {

    @Test
    void isReadAsItWasWritten() {
        Line line = Line.of("schedule", "topic", "orders", "count", 12L);

        Line read = Line.parse(line.toString());

        assertThat(read).isEqualTo(line);
        assertThat(read.text("topic")).isEqualTo("orders");
        assertThat(read.number("count")).isEqualTo(12);
    }

    @Test
    void keepsAMessageWithBlanksAndLineEndsOnOneLine() {
        Line read = Line.parse(Line.of(Line.ERROR, "message", "it is\nbroken").toString());

        assertThat(read.text("message")).isEqualTo("it_is_broken");
    }

    @Test
    void namesTheKeyThatIsMissing() {
        assertThatThrownBy(() -> Line.parse("open server=x").number("lease")).hasMessageContaining("lease is missing");
    }
}
