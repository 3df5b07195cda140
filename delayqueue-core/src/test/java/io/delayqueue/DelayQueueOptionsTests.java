package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DelayQueueOptionsTests {

    private final DelayQueueOptions.Builder builder = DelayQueueOptions.builder();

    @Test
    void defaultsAreThoseOfTheDocumentation() {
        DelayQueueOptions defaults = DelayQueueOptions.defaults();

        assertThat(defaults.keyPrefix()).isEqualTo("dq");
        assertThat(defaults.guardInterval()).hasSeconds(5);
        assertThat(defaults.claimAhead()).hasMillis(25);
        assertThat(defaults.wakeUp()).isEqualTo(WakeUp.PUBSUB);
        assertThat(defaults.maxPayload()).isEqualTo(1024 * 1024);
        assertThat(defaults.maxWaitingMessages()).isEqualTo(1_000_000);
        assertThat(defaults.maxWaitingBytes()).isEqualTo(256 * 1024 * 1024);
        assertThat(defaults.commandTimeout()).hasSeconds(2);
        assertThat(defaults.shutdownTimeout()).hasSeconds(20);
        assertThat(defaults.waitForReplicas()).isZero();
        assertThat(defaults.waitForReplicasTimeout()).hasSeconds(1);
        assertThat(defaults.topic("any")).isSameAs(TopicOptions.defaults());
        assertThat(defaults.observer()).isSameAs(DelayQueueObserver.NONE);
    }

    @Test
    void topicWithLimitsOfItsOwnHasThemAndOthersTheDefaults() {
        TopicOptions own = TopicOptions.builder().maxPending(7).build();
        TopicOptions others = TopicOptions.builder().maxPending(8).build();
        DelayQueueOptions options =
                builder.topic("orders", own).topicDefaults(others).build();

        assertThat(options.topic("orders")).isSameAs(own);
        assertThat(options.topic("mails")).isSameAs(others);
    }

    @Test
    void boundaryValuesAreAccepted() {
        DelayQueueOptions least = builder.keyPrefix("x")
                .guardInterval(Duration.ofMillis(10))
                .claimAhead(Duration.ZERO)
                .maxPayload(1)
                .commandTimeout(Duration.ofMillis(10))
                .shutdownTimeout(Duration.ZERO)
                .build();
        assertThat(least.guardInterval()).hasMillis(10);
        assertThat(least.shutdownTimeout()).isZero();

        DelayQueueOptions most = builder.keyPrefix("x".repeat(100))
                .guardInterval(Duration.ofHours(1))
                .claimAhead(Duration.ofSeconds(1))
                .maxPayload(64 * 1024 * 1024)
                .commandTimeout(Duration.ofMinutes(10))
                .shutdownTimeout(Duration.ofDays(1))
                .build();
        assertThat(most.keyPrefix()).hasSize(100);
        assertThat(most.maxPayload()).isEqualTo(67_108_864);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a{b}", "a\nb"})
    void keyPrefixThatCantBeAKeyIsRefused(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.keyPrefix(prefix))
                .withMessageContaining("keyPrefix '" + prefix + "'");
    }

    @Test
    void keyPrefixMayHave100CharactersAndNoMore() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.keyPrefix("x".repeat(101)))
                .withMessageContaining("keyPrefix")
                .withMessageContaining("101");
    }

    @Test
    void durationsOutOfRangeAreRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.guardInterval(Duration.ofMillis(9)))
                .withMessage("guardInterval must be PT0.01S to PT1H, not PT0.009S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.guardInterval(Duration.ofHours(1).plusNanos(1)))
                .withMessageContaining("guardInterval");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.commandTimeout(Duration.ZERO))
                .withMessageContaining("commandTimeout")
                .withMessageContaining("PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.shutdownTimeout(Duration.ofNanos(-1)))
                .withMessageContaining("shutdownTimeout");
    }

    @Test
    void replicasToWaitForAreACountAndATimeInBounds() {
        DelayQueueOptions options =
                builder.waitForReplicas(100, Duration.ofMillis(1)).build();
        assertThat(options.waitForReplicas()).isEqualTo(100);
        assertThat(options.waitForReplicasTimeout()).hasMillis(1);
        assertThat(builder.waitForReplicas(0, Duration.ofMinutes(10)).build().waitForReplicas())
                .isZero();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.waitForReplicas(-1, Duration.ofSeconds(1)))
                .withMessage("waitForReplicas needs a count of 0 to 100, not -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.waitForReplicas(101, Duration.ofSeconds(1)))
                .withMessageContaining("101");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.waitForReplicas(1, Duration.ZERO))
                .withMessage("timeout of waitForReplicas must be PT0.001S to PT10M, not PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.waitForReplicas(1, Duration.ofMillis(-1)))
                .withMessageContaining("timeout of waitForReplicas");
    }

    @Test
    void payloadLimitOutOfRangeIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxPayload(0))
                .withMessage("maxPayload must be 1 byte to 64 MiB, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxPayload(64 * 1024 * 1024 + 1))
                .withMessageContaining("67108865");
    }

    @Test
    void waitingLimitsOutOfRangeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxWaitingMessages(0))
                .withMessage("maxWaitingMessages must be at least 1, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxWaitingBytes(-1))
                .withMessage("maxWaitingBytes must be at least 1, not -1");
    }

    @Test
    void topicLimitsOutOfRangeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.topic("a b", TopicOptions.defaults()))
                .withMessageContaining("'a b'");
    }
}
