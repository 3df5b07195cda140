package io.delayqueue.benchmarks.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmarks.peer.Outgoing;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumberedMessagesTests {

    @ParameterizedTest
    @ValueSource(ints = {0, 7, 12_345, Integer.MAX_VALUE})
    void numberComesBackFromThePayload(int number) {
        Outgoing message = NumberedMessages.message("orders", number, 100, Duration.ofHours(1));

        assertThat(message.payload()).hasSize(100);
        assertThat(message.id()).hasSize(20).endsWith(Integer.toString(number));
        assertThat(NumberedMessages.number(message.payload())).isEqualTo(number);
    }
}
