package io.delayqueue.internal.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.list;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.SleepyStore;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettlementsTests {

    private final SleepyStore store = new SleepyStore();
    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final Told told = new Told();
    private final Settlements settlements = EngineFixtures.settlements(store, timer, told);
    private final InFlightMessage message = EngineFixtures.inFlight("a");
    private final LogLines log = LogLines.ofEngine();

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
        log.close();
    }

    @Test
    void ackBehindARenewalWaitsForItAndShowsTheNewReceipt() {
        long receipt = message.lease().receipt();
        store.fallAsleep();
        settlements.extend(message, EngineFixtures.LEASE);
        CompletableFuture<Boolean> acked = settle(new Settlement.Ack(message));
        Eventually.asserted(() -> assertThat(store.calls("extend")).hasSizeGreaterThan(1));
        assertThat(store.calls("ack")).isEmpty();

        store.wakeUp();

        Eventually.asserted(() -> assertThat(acked).isCompletedWithValue(true));
        assertThat(store.calls("ack"))
                .singleElement()
                .extracting(SleepyStore.Call::argument)
                .isEqualTo(List.of(new Lease("a", receipt + 1000)));
    }

    @Test
    void renewalAndAckOfOneMessageThatGatheredTogetherGoOneAfterTheOther() {
        long receipt = message.lease().receipt();
        SleepyStore.Gate gate = new SleepyStore.Gate();
        store.be(gate);
        settle(new Settlement.Ack(EngineFixtures.inFlight("first")));
        settlements.extend(EngineFixtures.inFlight("second"), EngineFixtures.LEASE);
        settlements.extend(message, EngineFixtures.LEASE);
        CompletableFuture<Boolean> acked = settle(new Settlement.Ack(message));
        store.wakeUp();
        gate.open();

        assertThat(acked).isCompletedWithValue(true);
        assertThat(store.calls("ack").get(1).argument()).isEqualTo(List.of(new Lease("a", receipt + 1000)));
    }

    @Test
    void renewalDoesNotWaitForTheAckOfAnotherMessage() {
        store.be("ack", SleepyStore.Mood.SILENT);
        settle(new Settlement.Ack(EngineFixtures.inFlight("other")));

        assertThat(settlements.extend(message, EngineFixtures.LEASE)).isCompletedWithValue(true);
    }

    @Test
    void ackDoesNotWaitForTheRenewalOfAnotherMessage() {
        store.be("extend", SleepyStore.Mood.SILENT);
        settlements.extend(EngineFixtures.inFlight("other"), EngineFixtures.LEASE);

        assertThat(settle(new Settlement.Ack(message))).isCompletedWithValue(true);
    }

    /** Else it could be done first, and the ack would come with a receipt of the past. */
    @Test
    void renewalBehindTheAckOfTheSameMessageWaitsForIt() {
        SleepyStore.Gate gate = new SleepyStore.Gate();
        store.be("ack", gate);
        settle(new Settlement.Ack(message));
        CompletableFuture<Boolean> renewed = settlements.extend(message, EngineFixtures.LEASE);
        assertThat(store.calls("extend")).isEmpty();

        gate.open();

        assertThat(renewed).isDone();
    }

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
                .extracting(SleepyStore.Call::argument)
                .containsOnly(store.calls(kind).get(0).argument());
    }

    @Test
    void aStoreThatThrowsInsteadOfFailingIsAskedAgain() {
        store.be(SleepyStore.Mood.throwing(new IllegalStateException("against the contract")));
        CompletableFuture<Boolean> acked = settle(new Settlement.Ack(message));
        Eventually.asserted(() -> assertThat(store.calls("ack")).hasSizeGreaterThan(2));
        assertThat(acked).isNotDone();

        store.wakeUp();

        Eventually.asserted(() -> assertThat(acked).isCompletedWithValue(true));
    }

    @Test
    void failingStoreIsNotAskedWithoutPause() {
        store.be(SleepyStore.Mood.failing(new UnexpectedReplyException("nonsense", null, null, null)));
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
    void eachKindGoesInBatchesOfItsOwnUnderItsOwnCallId() {
        SleepyStore.Gate gate = new SleepyStore.Gate();
        store.be(gate);
        settle(new Settlement.Ack(EngineFixtures.inFlight("first")));
        var answers = Stream.of(new Settlement.Ack(message), settlement("retry"), settlement("release"))
                .map(this::settle)
                .toList();
        assertThat(store.calls)
                .as("one batch of a kind at a time")
                .extracting(SleepyStore.Call::method)
                .containsExactly("ack", "retry", "release");

        gate.open();
        gate.open();

        assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompletedWithValue(true));
        assertThat(store.calls("ack")).hasSize(2);
        assertThat(store.callIds("ack")).extracting("number").isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aKindThatRedisRefusesHoldsUpNoOther() {
        store.be("retry", SleepyStore.Mood.failing(new UnexpectedReplyException("nonsense", null, null, null)));
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

    @Test
    void handledMessagesWaitForOthersInFlightAndAreAckedTogether() {
        settlements.add(message);
        InFlightMessage other = EngineFixtures.inFlight("b");
        settlements.add(other);
        CountDownLatch timerIsBlocked = new CountDownLatch(1);
        timer.execute(() -> awaitQuietly(timerIsBlocked));
        settle(new Settlement.Ack(message));
        assertThat(store.calls).isEmpty();

        settle(new Settlement.Ack(other));

        assertThat(store.calls("ack"))
                .singleElement()
                .extracting(SleepyStore.Call::argument)
                .asInstanceOf(list(Lease.class))
                .extracting(Lease::id)
                .containsExactly("a", "b");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aHandledMessageDoesNotWaitLongForOthersInFlight() {
        settlements.add(message);
        settlements.add(EngineFixtures.inFlight("b"));
        CompletableFuture<Boolean> acked = settle(new Settlement.Ack(message));

        Eventually.asserted(() -> assertThat(acked).isCompletedWithValue(true));
    }

    @Test
    void aLostLeaseIsAnsweredAndReportedOnce() {
        store.held = lease -> false;
        settlements.extend(message, Duration.ofSeconds(30));

        assertThat(settle(new Settlement.Ack(message))).isCompletedWithValue(false);
        assertThat(message.isLeaseLost()).isTrue();
        assertThat(told.events).containsExactly("lost a");
    }

    @Test
    void outcomesAreReported() {
        settle(new Settlement.Ack(EngineFixtures.inFlight("acked")));
        settle(new Settlement.Retry(EngineFixtures.inFlight("retried"), Duration.ofSeconds(7), "why", null));
        settle(new Settlement.Retry(EngineFixtures.inFlight("dead"), null, "why", null));
        settle(new Settlement.Release(EngineFixtures.inFlight("released")));

        assertThat(told.events).containsExactly("acked acked", "retried retried in PT7S", "dead dead: why");
    }

    @Test
    void aRenewalAsksForTheLeaseItWasGiven() {
        settlements.extend(message, Duration.ofMinutes(7));

        assertThat(store.calls("extend").get(0).argument())
                .isEqualTo(List.of(StoreCalls.extension(
                        new Lease("a", EngineFixtures.claimed("a").receipt()), Duration.ofMinutes(7))));
        assertThat(message.leaseNanosLeft()).isGreaterThan(Duration.ofMinutes(5).toNanos());
    }

    private CompletableFuture<Boolean> settle(Settlement settlement) {
        return settlements.settle(settlement);
    }

    private static Settlement settlement(String kind) {
        InFlightMessage message = EngineFixtures.inFlight(kind);
        return switch (kind) {
            case "ack" -> new Settlement.Ack(message);
            case "retry" -> new Settlement.Retry(message, Duration.ZERO, "why", null);
            default -> new Settlement.Release(message);
        };
    }

    private static final class Told implements DelayQueueObserver {

        final List<String> events = new CopyOnWriteArrayList<>();

        @Override
        public void acked(ReceivedMessage message) {
            events.add("acked " + message.id());
        }

        @Override
        public void retried(ReceivedMessage message, Duration delay, @Nullable Throwable error) {
            events.add("retried " + message.id() + " in " + delay);
        }

        @Override
        public void deadLettered(String topic, String id, int attempts, String error) {
            events.add("dead " + id + ": " + error);
        }

        @Override
        public void leaseLost(ReceivedMessage message) {
            events.add("lost " + message.id());
        }
    }

    @Test
    void aMessageIsSettledInThePartitionItCameFrom() {
        settlements.addPartition(new Partition(EngineFixtures.TOPIC, 1, 2));
        settle(new Settlement.Ack(EngineFixtures.inFlight("first", 0)));
        settle(new Settlement.Ack(EngineFixtures.inFlight("second", 1)));

        assertThat(store.calls("ack"))
                .extracting(call -> call.partition().number())
                .containsExactly(0, 1);
    }

    @Test
    void isEmptyWhenTheLastMessageIsSettled() {
        settlements.add(message);
        CompletableFuture<Void> empty = settlements.whenEmpty();
        assertThat(empty).isNotDone();
        assertThat(settlements.inFlight()).containsExactly(message);

        settle(new Settlement.Ack(message));

        assertThat(empty).isDone();
        assertThat(settlements.inFlight()).isEmpty();
        assertThat(settlements.whenEmpty()).isDone();
    }
}
