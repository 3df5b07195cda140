package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class OpenLossesTests {

    private static final Duration SOME = Duration.ofMillis(50);

    private final OpenLosses open = new OpenLosses();

    @Test
    void aLossAgesFromItsFirstLook() {
        assertThat(open.age("orders")).isZero();
        assertThat(open.found("orders", Map.of(0, lost("e2")))).isTrue();
        awaitAge();

        assertThat(open.found("orders", Map.of(0, lost("e2"), 1, intact()))).isTrue();

        assertThat(open.age("orders")).isGreaterThanOrEqualTo(SOME);
        assertThat(open.all()).containsExactly(new RedisLossDetectedEvent("orders", 0, Loss.EMPTY));
    }

    @Test
    void anotherEpochIsAnotherLoss() {
        open.found("orders", Map.of(0, lost("e2")));
        awaitAge();
        long before = System.nanoTime();

        open.found("orders", Map.of(0, lost("e3")));

        assertThat(open.age("orders")).isLessThanOrEqualTo(Duration.ofNanos(System.nanoTime() - before));
    }

    @Test
    void aRepairedLossIsNone() {
        open.found("orders", Map.of(0, lost("e2")));

        assertThat(open.found("orders", Map.of(0, intact()))).isFalse();

        assertThat(open.all()).isEmpty();
        assertThat(open.age("orders")).isZero();
    }

    @Test
    void theLossOfADeletedTopicIsNone() {
        open.found("orders", Map.of(0, lost("e2")));
        open.found("mails", Map.of(0, lost("e2")));

        open.retain(Set.of("mails"));

        assertThat(open.all()).containsExactly(new RedisLossDetectedEvent("mails", 0, Loss.EMPTY));
    }

    @Test
    void aLossOfANewerVersionIsOne() {
        for (Loss loss : Loss.values()) {
            assertThat(Loss.of(loss.code())).isEqualTo(loss);
        }
        assertThat(Loss.of(99)).isEqualTo(Loss.OTHER_EPOCH);
    }

    private void awaitAge() {
        Awaitility.await().until(() -> open.age("orders").compareTo(SOME) >= 0);
    }

    private static KnownPartition lost(String epoch) {
        return new KnownPartition(epoch, 0, 0, null, epoch, Loss.EMPTY, false, KnownPartition.NOT_BEGUN);
    }

    private static KnownPartition intact() {
        return new KnownPartition("e2", 0, 0, null, null, Loss.NONE, false, KnownPartition.NOT_BEGUN);
    }
}
