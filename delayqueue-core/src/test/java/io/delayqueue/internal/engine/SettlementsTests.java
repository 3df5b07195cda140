package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.list;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
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
    private final ScheduledExecutorService timer = Fixtures.timer();
    private final Told told = new Told();
    private int inHands;
    private final Settlements settlements = new Settlements(
            Fixtures.context(store, ConsumerOptions.defaults(), timer, told), Fixtures.PARTITION, "me", () -> inHands);
    private final InFlightMessage inHand = Fixtures.inHand("a");
    private final LogLines log = LogLines.of("io.delayqueue");

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
        log.close();
    }

    @Test
    void ackBehindARenewalWaitsForItAndShowsTheNewReceipt() {
        long receipt = inHand.lease().receipt();
        store.fallAsleep();
        settlements.submit(new Settlement.Extend(inHand, Fixtures.LEASE));
        CompletableFuture<Boolean> acked = settlements.submit(new Settlement.Ack(inHand));
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
        long receipt = inHand.lease().receipt();
        SleepyStore.Gate gate = new SleepyStore.Gate();
        store.be(gate);
        settlements.submit(new Settlement.Ack(Fixtures.inHand("first")));
        settlements.submit(new Settlement.Extend(Fixtures.inHand("second"), Fixtures.LEASE));
        settlements.submit(new Settlement.Extend(inHand, Fixtures.LEASE));
        CompletableFuture<Boolean> acked = settlements.submit(new Settlement.Ack(inHand));
        store.wakeUp();
        gate.open();

        assertThat(acked).isCompletedWithValue(true);
        assertThat(store.calls("ack").get(1).argument()).isEqualTo(List.of(new Lease("a", receipt + 1000)));
    }

    @Test
    void renewalDoesNotWaitForTheAckOfAnotherMessage() {
        store.be("ack", SleepyStore.Mood.SILENT);
        settlements.submit(new Settlement.Ack(Fixtures.inHand("other")));

        assertThat(settlements.submit(new Settlement.Extend(inHand, Fixtures.LEASE)))
                .isCompletedWithValue(true);
    }

    @Test
    void ackDoesNotWaitForTheRenewalOfAnotherMessage() {
        store.be("extend", SleepyStore.Mood.SILENT);
        settlements.submit(new Settlement.Extend(Fixtures.inHand("other"), Fixtures.LEASE));

        assertThat(settlements.submit(new Settlement.Ack(inHand))).isCompletedWithValue(true);
    }

    /** Else it could be done first, and the ack would come with a receipt of the past. */
    @Test
    void renewalBehindTheAckOfTheSameMessageWaitsForIt() {
        SleepyStore.Gate gate = new SleepyStore.Gate();
        store.be("ack", gate);
        settlements.submit(new Settlement.Ack(inHand));
        CompletableFuture<Boolean> renewed = settlements.submit(new Settlement.Extend(inHand, Fixtures.LEASE));
        assertThat(store.calls("extend")).isEmpty();

        gate.open();

        assertThat(renewed).isDone();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ack", "retry", "extend", "release"})
    void isRepeatedUntilAnsweredAsTheSameTurn(String kind) {
        store.fallAsleep();
        CompletableFuture<Boolean> settled = settlements.submit(settlement(kind));
        Eventually.asserted(() -> assertThat(store.calls(kind)).hasSizeGreaterThan(2));
        assertThat(settled).isNotDone();

        store.wakeUp();

        Eventually.asserted(() -> assertThat(settled).isCompletedWithValue(true));
        if (!kind.equals("release")) {
            assertThat(store.turns(kind).get(0)).isEqualTo(new CallId("me", 1, false));
            assertThat(store.turns(kind).stream().skip(1)).containsOnly(new CallId("me", 1, true));
        }
        assertThat(store.calls(kind))
                .extracting(SleepyStore.Call::argument)
                .containsOnly(store.calls(kind).get(0).argument());
    }

    @Test
    void storeThatThrowsInsteadOfFailingIsAskedAgainLikeAnyOther() {
        store.be(SleepyStore.Mood.throwing(new IllegalStateException("against the contract")));
        CompletableFuture<Boolean> acked = settlements.submit(new Settlement.Ack(inHand));
        Eventually.asserted(() -> assertThat(store.calls("ack")).hasSizeGreaterThan(2));
        assertThat(acked).isNotDone();

        store.wakeUp();

        Eventually.asserted(() -> assertThat(acked).isCompletedWithValue(true));
    }

    @Test
    void failingStoreIsNotAskedWithoutPause() {
        store.be(SleepyStore.Mood.failing(new UnexpectedReplyException("nonsense", null, null, null)));
        settlements.submit(new Settlement.Ack(inHand));

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
        CompletableFuture<Boolean> acked = settlements.submit(new Settlement.Ack(inHand));
        assertThat(acked).isNotDone();

        settlements.giveUp();

        assertThatThrownBy(() -> acked.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        int calls = store.calls("ack").size();
        settlements.submit(new Settlement.Ack(Fixtures.inHand("b")));
        assertThat(store.calls("ack")).hasSize(calls + 1);
    }

    @Test
    void stoppedTimerEndsTheRepetitionsToo() {
        store.fallAsleep();
        timer.shutdownNow();

        assertThat(settlements.submit(new Settlement.Ack(inHand))).isCompletedExceptionally();
    }

    @Test
    void kindsOfOneBatchGoTogetherWithTurnsOfTheirOwn() {
        SleepyStore.Gate gate = new SleepyStore.Gate();
        store.be(gate);
        settlements.submit(new Settlement.Ack(Fixtures.inHand("first")));
        var answers = Stream.of(new Settlement.Ack(inHand), settlement("retry"), settlement("release"))
                .map(settlements::submit)
                .toList();
        assertThat(store.calls).as("one batch at a time").hasSize(1);

        gate.open();
        gate.open();

        assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompletedWithValue(true));
        assertThat(store.calls).extracting(SleepyStore.Call::method).containsExactly("ack", "ack", "retry", "release");
        assertThat(store.calls.subList(0, 3))
                .extracting(call -> call.turn().number())
                .containsExactly(1L, 2L, 3L);
    }

    @Test
    void handledMessagesWaitForTheOthersInHandAndGoTogether() {
        inHands = 2;
        CountDownLatch timerStands = new CountDownLatch(1);
        timer.execute(() -> awaitQuietly(timerStands));
        settlements.submit(new Settlement.Ack(inHand));
        assertThat(store.calls).isEmpty();

        settlements.submit(new Settlement.Ack(Fixtures.inHand("b")));

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
    void handledMessageDoesNotWaitLongForOthersInHand() {
        inHands = 2;
        CompletableFuture<Boolean> acked = settlements.submit(new Settlement.Ack(inHand));

        Eventually.asserted(() -> assertThat(acked).isCompletedWithValue(true));
    }

    @Test
    void lostLeaseIsAnsweredAndToldOnce() {
        store.held = lease -> false;
        settlements.submit(new Settlement.Extend(inHand, Duration.ofSeconds(30)));

        assertThat(settlements.submit(new Settlement.Ack(inHand))).isCompletedWithValue(false);
        assertThat(inHand.isLeaseLost()).isTrue();
        assertThat(told.events).containsExactly("lost a");
    }

    @Test
    void outcomesAreTold() {
        settlements.submit(new Settlement.Ack(Fixtures.inHand("acked")));
        settlements.submit(new Settlement.Retry(Fixtures.inHand("retried"), Duration.ofSeconds(7), "why", null));
        settlements.submit(new Settlement.Retry(Fixtures.inHand("dead"), null, "why", null));
        settlements.submit(new Settlement.Release(Fixtures.inHand("released")));

        assertThat(told.events).containsExactly("acked acked", "retried retried in PT7S", "dead dead: why");
    }

    @Test
    void renewalAsksForWhatItWasToldTo() {
        settlements.submit(new Settlement.Extend(inHand, Duration.ofMinutes(7)));

        assertThat(store.calls("extend").get(0).argument())
                .isEqualTo(List.of(
                        new Extension(new Lease("a", Fixtures.claimed("a").receipt()), Duration.ofMinutes(7))));
        assertThat(inHand.leaseNanosLeft()).isGreaterThan(Duration.ofMinutes(5).toNanos());
    }

    private static Settlement settlement(String kind) {
        InFlightMessage inHand = Fixtures.inHand(kind);
        return switch (kind) {
            case "ack" -> new Settlement.Ack(inHand);
            case "retry" -> new Settlement.Retry(inHand, Duration.ZERO, "why", null);
            case "extend" -> new Settlement.Extend(inHand, Fixtures.LEASE);
            default -> new Settlement.Release(inHand);
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
}
