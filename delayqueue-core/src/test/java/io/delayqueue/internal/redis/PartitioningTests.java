package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PartitioningTests {

    /** Written out: messages that are in Redis now must be found by newer versions. */
    @Test
    void thePartitionOfAnIdNeverChanges() {
        assertThat(number("order-1", 4)).isEqualTo(3);
        assertThat(number("order-2", 4)).isEqualTo(1);
        assertThat(number("überfällig", 7)).isEqualTo(0);
        assertThat(number("", 3)).isZero();
    }

    @Test
    void idsSpreadEvenly() {
        Map<Integer, Long> spread = IntStream.range(0, 8000)
                .mapToObj(i -> number(
                        UUID.nameUUIDFromBytes(new byte[] {(byte) i, (byte) (i >> 8)})
                                .toString(),
                        8))
                .collect(Collectors.groupingBy(number -> number, Collectors.counting()));

        assertThat(spread).hasSize(8);
        assertThat(spread.values()).allSatisfy(count -> assertThat(count).isCloseTo(1000L, within(150L)));
    }

    @Test
    void formerPartitionsOfAnIdFollowThePresentOneAndStandThereOnce() {
        Partitioning partitioning = new Partitioning("t", 4, false, List.of(1, 2));

        assertThat(partitioning.candidates("order-1"))
                .containsExactly(new Partition("t", 3, 4), new Partition("t", 0, 4), new Partition("t", 1, 4));
        assertThat(partitioning.candidates("order-4")).containsExactly(new Partition("t", 0, 4));
    }

    private static int number(String id, int partitions) {
        return new Partitioning("t", partitions, false, List.of()).of(id).number();
    }
}
