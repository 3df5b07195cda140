package io.delayqueue.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LabTests {

    @Test
    void twoContestantsTakeTurnsToBeFirst() {
        assertThat(orders(List.of("a", "b"), 1, 4))
                .containsExactly(List.of("b", "a"), List.of("a", "b"), List.of("b", "a"), List.of("a", "b"));
    }

    @Test
    void eachRoundOfManyHasAnotherFirst() {
        List<List<String>> orders = orders(List.of("a", "b", "c", "d", "e", "f"), 1, 5);

        assertThat(orders).extracting(order -> order.get(0)).doesNotHaveDuplicates();
        assertThat(orders)
                .allSatisfy(order -> assertThat(order).containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f"));
    }

    @Test
    void threeContestantsHaveAllTheirOrders() {
        assertThat(orders(List.of("a", "b", "c"), 0, 5)).doesNotHaveDuplicates();
    }

    @Test
    void aPeerThatCanNotBeMeasuredIsAFailureUnlessThatIsAllowed() {
        assertThat(Lab.isFailure(null)).isTrue();
        assertThat(Lab.isFailure("skip")).isTrue();
        assertThat(Lab.isFailure("allow")).isFalse();
    }

    private static List<List<String>> orders(List<String> participants, int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(round -> RoundOrder.of(participants, round))
                .toList();
    }
}
