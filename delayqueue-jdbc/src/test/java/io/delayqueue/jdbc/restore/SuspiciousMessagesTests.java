package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.MessageStatus;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When messages that are missing are looked at for the second time. */
class SuspiciousMessagesTests {

    private static final Duration SETTLE = Duration.ofSeconds(6);

    private Duration now = Duration.ofDays(-1);
    private final SuspiciousMessages messages = new SuspiciousMessages(SETTLE, () -> now.toNanos());

    @Test
    void eachIsTakenWhenItWaitsForLongEnough() {
        messages.add(List.of(message("a"), message("b")));
        pass(Duration.ofSeconds(4));
        messages.add(List.of(message("c")));

        assertThat(messages.untilNext()).isEqualTo(Duration.ofSeconds(2));
        assertThat(messages.isTimeToLook()).isFalse();
        assertThat(messages.take()).isEmpty();

        pass(Duration.ofSeconds(2));
        assertThat(messages.isTimeToLook()).isTrue();
        assertThat(messages.take()).containsExactly(message("a"), message("b"));
        assertThat(messages.isTimeToLook()).isFalse();
        assertThat(messages.size()).isEqualTo(1);

        pass(Duration.ofSeconds(10));
        assertThat(messages.take()).containsExactly(message("c"));
        assertThat(messages.isEmpty()).isTrue();
        assertThat(messages.isTimeToLook()).isFalse();
    }

    /** It may have been repaired and handled since the look before. */
    @Test
    void aMessageThatIsFoundAgainWaitsAnew() {
        messages.add(List.of(message("a"), message("b")));
        pass(Duration.ofSeconds(4));
        messages.add(List.of(message("a")));

        pass(Duration.ofSeconds(2));
        assertThat(messages.take()).containsExactly(message("b"));
        pass(Duration.ofSeconds(4));
        assertThat(messages.take()).containsExactly(message("a"));
    }

    @Test
    void isTimeToWaitForTheFirstWhenThereAreTooMany() {
        messages.add(List.of(message("first")));
        pass(Duration.ofSeconds(1));
        messages.add(IntStream.range(2, SuspiciousMessages.MOST)
                .mapToObj(i -> message("m" + i))
                .toList());
        assertThat(messages.isTimeToLook()).isFalse();

        messages.add(Collections.singletonList(message("last")));

        assertThat(messages.isTimeToLook()).isTrue();
        assertThat(messages.areMost()).isTrue();
        assertThat(messages.untilNext()).isEqualTo(Duration.ofSeconds(5));
        pass(Duration.ofSeconds(5));
        assertThat(messages.take()).containsExactly(message("first"));
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    private static RecordedMessage message(String id) {
        return new RecordedMessage(id, "g", MessageStatus.SCHEDULED, 0, false, 0, 0, 0, false);
    }
}
