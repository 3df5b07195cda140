package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TopicOptionsTests {

    private final TopicOptions.Builder builder = TopicOptions.builder();

    @Test
    void defaultsAreThoseOfTheDocumentation() {
        assertThat(TopicOptions.defaults().maxPending()).isZero();
        assertThat(TopicOptions.defaults().deadLetterRetention()).hasDays(14);
        assertThat(TopicOptions.defaults().partitions()).isOne();
    }

    @Test
    void eachOptionIsTaken() {
        TopicOptions options = builder.maxPending(7)
                .deadLetterRetention(Duration.ofDays(1))
                .partitions(4)
                .build();

        assertThat(options.maxPending()).isEqualTo(7);
        assertThat(options.deadLetterRetention()).hasDays(1);
        assertThat(options.partitions()).isEqualTo(4);
        assertThat(options).hasToString("TopicOptions[maxPending=7, deadLetterRetention=PT24H, partitions=4]");
    }

    @Test
    void negativeMaxPendingIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxPending(-1))
                .withMessage("maxPending must not be negative, but is -1");
    }

    @Test
    void deadLetterRetentionOutOfRangeIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.deadLetterRetention(Duration.ZERO))
                .withMessageContaining("deadLetterRetention")
                .withMessageContaining("PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.deadLetterRetention(Delay.LONGEST.plusNanos(1)))
                .withMessageContaining("deadLetterRetention");
        assertThat(builder.deadLetterRetention(Delay.LONGEST).build().deadLetterRetention())
                .isEqualTo(Delay.LONGEST);
    }

    @Test
    void partitionsOutOfRangeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.partitions(0))
                .withMessage("partitions must be 1 to 256, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.partitions(257))
                .withMessageContaining("257");
        assertThat(builder.partitions(TopicOptions.MAX_PARTITIONS).build().partitions())
                .isEqualTo(256);
    }
}
