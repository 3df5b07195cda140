package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DelayQueueExceptionTests {

    private static final Exception CAUSE = new Exception("cause");

    static Stream<DelayQueueException> exceptions() {
        return Stream.of(
                new DelayQueueException("text", "orders", "42", CAUSE),
                new ClientOverloadedException("text", "orders", "42", CAUSE),
                new DelayQueueClosedException("text", "orders", "42", CAUSE),
                new RedisAccessDeniedException("text", "orders", "42", CAUSE),
                new RedisFullException("text", "orders", "42", CAUSE),
                new RedisUnavailableException("text", "orders", "42", CAUSE),
                new TopicFullException("text", "orders", "42", CAUSE),
                new UnexpectedReplyException("text", "orders", "42", CAUSE));
    }

    @ParameterizedTest
    @MethodSource("exceptions")
    void exceptionCarriesTopicIdAndCause(DelayQueueException exception) {
        assertThat(exception.topic()).isEqualTo("orders");
        assertThat(exception.id()).isEqualTo("42");
        assertThat(exception).hasMessage("text").hasCause(CAUSE);
    }
}
