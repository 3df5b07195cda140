package io.delayqueue.gateway.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** One caller leaves half of the memory to the others. */
class ByteBudgetTests {

    private static final long MIB = 1024 * 1024;

    private final Caller first = new Caller("first", Rights.ALL);
    private final Caller second = new Caller("second", Rights.ALL);

    @Test
    void callerTakesHalf() {
        ByteBudget budget = new ByteBudget(20 * MIB);
        assertThat(budget.tryTake(first, 10 * MIB)).isTrue();
        assertThat(budget.isUsedUp(first)).isTrue();
        assertThat(budget.tryTake(first, 1)).isFalse();
        assertThat(budget.tryTakeOfLarge(first, 1)).isFalse();
        assertThat(budget.isUsedUp(second)).isFalse();
        assertThat(budget.tryTakeOfLarge(second, 5 * MIB)).isTrue();
        assertThat(budget.tryTakeOfLarge(second, 1))
                .as("a quarter is for small ones")
                .isFalse();
        assertThat(budget.tryTake(second, 5 * MIB)).isTrue();
        assertThat(budget.used()).isEqualTo(20 * MIB);

        budget.giveBack(first, 10 * MIB);
        assertThat(budget.tryTake(first, MIB)).isTrue();
        assertThat(budget.tryTake(second, 1)).isFalse();
        budget.giveBack(first, MIB);
        budget.giveBack(second, 10 * MIB);
        assertThat(budget.used()).isZero();
        assertThat(budget.isUsedUp(first)).isFalse();
    }

    @Test
    void largestMessageFitsAlways() {
        ByteBudget budget = new ByteBudget(4 * MIB);
        assertThat(budget.tryTake(first, 4 * MIB)).isTrue();
        assertThat(budget.tryTake(second, 1)).isFalse();
    }

    @Test
    void callersThatAreNotToldApartTakeAll() {
        ByteBudget budget = new ByteBudget(20 * MIB);
        assertThat(budget.tryTake(Caller.EVERYONE, 20 * MIB)).isTrue();
        assertThat(budget.isUsedUp(Caller.EVERYONE)).isTrue();
        assertThat(budget.tryTake(Caller.EVERYONE, 1)).isFalse();
    }
}
