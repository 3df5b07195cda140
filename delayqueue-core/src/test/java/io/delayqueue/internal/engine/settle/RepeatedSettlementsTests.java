package io.delayqueue.internal.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.StoreCalls;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A settlement is repeated until the store answers. */
class RepeatedSettlementsTests extends SettlementsFixture {

    @ParameterizedTest
    @ValueSource(strings = {"ack", "retry", "extend", "release"})
    void isRepeatedUntilAnsweredUnderTheSameCallId(String kind) {
        store.fallAsleep();
        CompletableFuture<Boolean> settled = kind.equals("extend")
                ? settlements.extend(EngineFixtures.inFlight(kind), EngineFixtures.LEASE)
                : settle(settlement(kind));
        Eventually.asserted(() -> assertThat(store.calls(kind)).hasSizeGreaterThan(2));
        assertThat(settled).isNotDone();

        store.wakeUp();

        Eventually.asserted(() -> assertThat(settled).isCompletedWithValue(true));
        if (!kind.equals("release")) {
            assertThat(store.callIds(kind).get(0)).isEqualTo(new CallId("me", 1, false));
            assertThat(store.callIds(kind).stream().skip(1)).containsOnly(new CallId("me", 1, true));
        }
        assertThat(store.calls(kind))
                .extracting(StoreCalls::argument)
                .containsOnly(StoreCalls.argument(store.calls(kind).get(0)));
    }

    @Test
    void aStoreThatThrowsInsteadOfFailingIsAskedAgain() {
        store.be(Mood.throwing(new IllegalStateException("against the contract")));
        CompletableFuture<Boolean> acked = settle(new Settlement.Ack(message));
        Eventually.asserted(() -> assertThat(store.calls("ack")).hasSizeGreaterThan(2));
        assertThat(acked).isNotDone();

        store.wakeUp();

        Eventually.asserted(() -> assertThat(acked).isCompletedWithValue(true));
    }

    @Test
    void failingStoreIsNotAskedWithoutPause() {
        store.be(Mood.failing(new UnexpectedReplyException("nonsense", null, null, null)));
        settle(new Settlement.Ack(message));

        assertThat(callsWithinASecond()).isBetween(2, 25);
    }

    private int callsWithinASecond() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        Eventually.asserted(() -> assertThat(System.nanoTime()).isGreaterThan(end));
        return store.calls("ack").size();
    }

    @Test
    void repeatsNoMoreOnceGivenUp() {
        store.fallAsleep();
        CompletableFuture<Boolean> acked = settle(new Settlement.Ack(message));
        assertThat(acked).isNotDone();

        settlements.giveUp();

        assertThatThrownBy(() -> acked.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        int calls = store.calls("ack").size();
        settle(new Settlement.Ack(EngineFixtures.inFlight("b")));
        assertThat(store.calls("ack")).hasSize(calls + 1);
    }

    @Test
    void stoppedTimerEndsTheRepetitionsToo() {
        store.fallAsleep();
        timer.shutdownNow();

        assertThat(settle(new Settlement.Ack(message))).isCompletedExceptionally();
    }

    @Test
    void aKindThatRedisRefusesHoldsUpNoOther() {
        store.be("retry", Mood.failing(new UnexpectedReplyException("nonsense", null, null, null)));
        CompletableFuture<Boolean> refused = settle(settlement("retry"));

        assertThat(settle(new Settlement.Ack(message))).isCompletedWithValue(true);
        assertThat(settle(settlement("release"))).isCompletedWithValue(true);
        assertThat(refused).isNotDone();
        store.wakeUp("retry");
        Eventually.asserted(() -> assertThat(refused).isCompletedWithValue(true));
    }

    @Test
    void manySettlementsThatFailAreABacklogUntilTheySucceed() {
        store.fallAsleep();
        for (int i = 0; i < Settlements.MAX_UNSETTLED; i++) {
            assertThat(settlements.hasBacklog(0)).isFalse();
            settle(new Settlement.Ack(EngineFixtures.inFlight("m" + i)));
        }
        assertThat(settlements.hasBacklog(0)).isTrue();
        assertThat(settlements.isHealthy()).isFalse();
        settlements.addPartition(new Partition(EngineFixtures.TOPIC, 1, 2));
        assertThat(settlements.hasBacklog(1)).as("the other partition").isFalse();

        store.wakeUp();

        Eventually.asserted(() -> assertThat(settlements.hasBacklog(0)).isFalse());
        assertThat(settlements.isHealthy()).isTrue();
    }
}
