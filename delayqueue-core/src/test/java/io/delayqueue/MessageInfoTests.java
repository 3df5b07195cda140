package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessageInfoTests {

    @Test
    void messageOfAUsersTestNeedsItsNameAndStateOnly() {
        MessageInfo info =
                MessageInfo.of("orders", "42", MessageState.SCHEDULED).build();

        assertThat(info.topic()).isEqualTo("orders");
        assertThat(info.id()).isEqualTo("42");
        assertThat(info.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(info.attempt()).isZero();
        assertThat(info.priority()).isEqualTo(OutgoingMessage.DEFAULT_PRIORITY);
        assertThat(info.headers()).isEmpty();
        assertThat(info.payload()).isEmpty();
        assertThat(info.time()).isEqualTo(info.scheduledAt()).isEqualTo(Instant.EPOCH);
        assertThat(info.due()).isNull();
        assertThat(info.maxAttempts()).isNull();
        assertThat(info.timeToLive()).isNull();
        assertThat(info.leaseDeadline()).isNull();
        assertThat(info.deadLetteredAt()).isNull();
        assertThat(info.error()).isNull();
    }

    @Test
    void eachPropertyIsWhatItWasBuiltWith() {
        Instant time = Instant.parse("2030-01-01T00:00:00Z");
        byte[] payload = {1, 2};
        MessageInfo info = MessageInfo.of("orders", "42", MessageState.DEAD)
                .time(time)
                .due(time.plusSeconds(1))
                .attempt(3)
                .maxAttempts(4)
                .timeToLive(Duration.ofHours(5))
                .scheduledAt(time.minusSeconds(6))
                .leaseDeadline(time.plusSeconds(7))
                .deadLetteredAt(time.minusSeconds(8))
                .error("no use")
                .priority(9)
                .headers(Map.of("kind", "new"))
                .payload(payload)
                .build();

        assertThat(info.time()).isEqualTo(time);
        assertThat(info.due()).isEqualTo(time.plusSeconds(1));
        assertThat(info.attempt()).isEqualTo(3);
        assertThat(info.maxAttempts()).isEqualTo(4);
        assertThat(info.timeToLive()).isEqualTo(Duration.ofHours(5));
        assertThat(info.scheduledAt()).isEqualTo(time.minusSeconds(6));
        assertThat(info.leaseDeadline()).isEqualTo(time.plusSeconds(7));
        assertThat(info.deadLetteredAt()).isEqualTo(time.minusSeconds(8));
        assertThat(info.error()).isEqualTo("no use");
        assertThat(info.priority()).isEqualTo(9);
        assertThat(info.headers()).isEqualTo(Map.of("kind", "new"));
        assertThat(info.payload()).isSameAs(payload);
    }

    @Test
    void headersCannotBeChanged() {
        MessageInfo info = MessageInfo.of("orders", "42", MessageState.READY).build();

        assertThatThrownBy(() -> info.headers().put("kind", "new")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    @SuppressWarnings("NullAway")
    void messageWithoutIdIsRefused() {
        assertThatNullPointerException()
                .isThrownBy(() -> MessageInfo.of("orders", null, MessageState.READY))
                .withMessage("id");
    }

    @Test
    void textDoesNotShowThePayload() {
        assertThat(MessageInfo.of("orders", "42", MessageState.READY)
                        .payload("secret".getBytes(StandardCharsets.UTF_8))
                        .build())
                .asString()
                .contains("orders", "42", "READY", "6 bytes")
                .doesNotContain("secret");
    }
}
