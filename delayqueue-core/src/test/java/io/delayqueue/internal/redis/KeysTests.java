package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.Partition;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeysTests {

    private final Keys keys = new Keys("dq");

    @Test
    void namesAreThoseOfTheDataModel() {
        assertThat(keys.topics()).asString().isEqualTo("dq:topics");
        assertThat(keys.of(Partition.only("orders")).channel()).asString().isEqualTo("dq:{orders:0}");
        assertThat(keys.of(Partition.only("orders")).meta()).asString().isEqualTo("dq:{orders:0}:meta");
        assertThat(Arrays.stream(keys.of(Partition.only("orders")).first(17)).map(String::new))
                .containsExactly(
                        "dq:{orders:0}:meta",
                        "dq:{orders:0}:messages",
                        "dq:{orders:0}:leased",
                        "dq:{orders:0}:attempts",
                        "dq:{orders:0}:dead",
                        "dq:{orders:0}:dead:errors",
                        "dq:{orders:0}:scheduled:0",
                        "dq:{orders:0}:scheduled:1",
                        "dq:{orders:0}:scheduled:2",
                        "dq:{orders:0}:scheduled:3",
                        "dq:{orders:0}:scheduled",
                        "dq:{orders:0}:scheduled:5",
                        "dq:{orders:0}:scheduled:6",
                        "dq:{orders:0}:scheduled:7",
                        "dq:{orders:0}:scheduled:8",
                        "dq:{orders:0}:scheduled:9",
                        "dq:{orders:0}:suspects");
    }

    @ParameterizedTest
    @ValueSource(strings = {"orders", "a:b", "überfällig", ":", "0"})
    void allKeysOfAPartitionAreInOneSlot(String topic) {
        byte[][] all = new Keys("pre:fix").of(new Partition(topic, 3, 4)).first(17);

        assertThat(Arrays.stream(all).map(SlotHash::getSlot).distinct()).hasSize(1);
    }

    @Test
    void partitionsHaveKeysOfTheirOwn() {
        assertThat(keys.of(new Partition("orders", 1, 2)).meta()).asString().isEqualTo("dq:{orders:1}:meta");
        assertThat(keys.of(new Partition("orders", 0, 2)).meta())
                .isEqualTo(keys.of(Partition.only("orders")).meta());
    }

    @Test
    void topicsInOtherAlphabetsAreUtf8() {
        assertThat(keys.of(Partition.only("заказы")).channel())
                .isEqualTo("dq:{заказы:0}".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void probeKeysBelongToNoTopic() {
        assertThat(keys.probeKeys().meta())
                .asString()
                .startsWith("dq:{")
                .contains(" ")
                .endsWith(":meta");
    }

    @Test
    void keysOfATopicAreKept() {
        assertThat(keys.of(Partition.only("orders"))).isSameAs(keys.of(Partition.only("orders")));
    }
}
