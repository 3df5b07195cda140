package io.delayqueue.internal.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.list;

import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.Gate;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SettlementsTests extends SettlementsFixture {

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
        Gate gate = new Gate();
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
        store.be("ack", Mood.SILENT);
        settle(new Settlement.Ack(EngineFixtures.inFlight("other")));

        assertThat(settlements.extend(message, EngineFixtures.LEASE)).isCompletedWithValue(true);
    }

    @Test
    void ackDoesNotWaitForTheRenewalOfAnotherMessage() {
        store.be("extend", Mood.SILENT);
        settlements.extend(EngineFixtures.inFlight("other"), EngineFixtures.LEASE);

        assertThat(settle(new Settlement.Ack(message))).isCompletedWithValue(true);
    }

    /** Else it could be done first, and the ack would come with a receipt of the past. */
    @Test
    void renewalBehindTheAckOfTheSameMessageWaitsForIt() {
        Gate gate = new Gate();
        store.be("ack", gate);
        settle(new Settlement.Ack(message));
        CompletableFuture<Boolean> renewed = settlements.extend(message, EngineFixtures.LEASE);
        assertThat(store.calls("extend")).isEmpty();

        gate.open();

        assertThat(renewed).isDone();
    }

    @Test
    void eachKindGoesInBatchesOfItsOwnUnderItsOwnCallId() {
        Gate gate = new Gate();
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

        assertThat(StoreCalls.argument(store.calls("extend").get(0)))
                .isEqualTo(List.of(StoreCalls.extension(
                        new Lease("a", EngineFixtures.claimed("a").receipt()), Duration.ofMinutes(7))));
        assertThat(message.leaseNanosLeft()).isGreaterThan(Duration.ofMinutes(5).toNanos());
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
