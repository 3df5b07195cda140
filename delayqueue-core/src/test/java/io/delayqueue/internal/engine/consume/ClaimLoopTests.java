package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.OrphanScanStep;
import io.delayqueue.testsupport.ClaimAnswers;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The effect of an answer on single passes of the loop, and the time of the next one. */
class ClaimLoopTests extends SinglePasses {

    @Test
    void claimsALittleBeforeTheNextMessageIsDue() {
        assertThat(loop.untilClaim(20_000)).isEqualTo(Duration.ofMillis(15).toNanos());
        assertThat(loop.untilClaim(4_000)).isEqualTo(Duration.ofMillis(4).toNanos());
    }

    @Test
    void claimsWhenTheNextMessageIsDueIfNoneCanBeClaimedEarly() {
        ClaimLoop single = new ClaimLoop(
                EngineFixtures.context(
                        store, ConsumerOptions.builder().concurrency(1).build(), timer, new Told()),
                EngineFixtures.PARTITION,
                "me",
                target,
                new SuspectPermit(timer));

        assertThat(single.untilClaim(20_000)).isEqualTo(Duration.ofMillis(20).toNanos());
    }

    @Test
    void claimsWhenOthersRelyOnIt() throws Exception {
        store.claimAnswers.add(ClaimAnswers.expecting(20_000, 500_000));

        assertThat(runOnce()).isEqualTo(Duration.ofMillis(495).toNanos());
    }

    @Test
    void saysThatItCanNotComeWhenItIsTime() throws Exception {
        store.claimAnswers.add(ClaimAnswers.expecting(4_000, 4_000));
        runOnce();
        target.free = 0;

        assertThat(runOnce()).isEqualTo(GUARD);
        assertThat(claimedSlots()).containsExactly(CONCURRENCY, 0);
        assertThat(runOnce()).isEqualTo(GUARD);
        assertThat(store.calls("claim")).as("once").hasSize(2);
    }

    @Test
    void saysThatItCanNotComeWhilePaused() throws Exception {
        store.claimAnswers.add(ClaimAnswers.expecting(4_000, 4_000));
        runOnce();
        loop.pause(true);

        assertThat(runOnce()).isEqualTo(GUARD);
        assertThat(claimedSlots()).containsExactly(CONCURRENCY, 0);
    }

    @Test
    void doesNotSayTooEarlyThatItCanNotCome() throws Exception {
        store.claimAnswers.add(ClaimAnswers.expecting(
                Duration.ofMinutes(1).toMillis() * 1000, Duration.ofMinutes(1).toMillis() * 1000));
        runOnce();
        target.free = 0;

        assertThat(runOnce()).isLessThan(Duration.ofMinutes(1).toNanos()).isPositive();
        assertThat(store.calls("claim")).hasSize(1);
    }

    @Test
    void saysOnceMoreThatItCanNotComeIfTheClaimEndedLeases() throws Exception {
        store.claimAnswers.add(ClaimAnswers.expecting(4_000, 4_000));
        store.claimAnswers.add(ClaimAnswers.expecting(0, 0));
        runOnce();
        target.free = 0;

        assertThat(runOnce()).isZero();
        assertThat(runOnce()).isEqualTo(GUARD);
        assertThat(claimedSlots()).containsExactly(CONCURRENCY, 0, 0);
    }

    @Test
    void saysAtItsEndThatItCanNotCome() throws Exception {
        store.claimAnswers.add(ClaimAnswers.expecting(20_000, 500_000));
        runOnce();

        loop.stop().join();

        assertThat(claimedSlots()).containsExactly(CONCURRENCY, 0);
    }

    /** Such a claim does nothing else, and nobody else tells what it did. */
    @Test
    void saysAtItsEndThatItCanNotComeHoweverManyClaimsEndLeases() throws Exception {
        store.claimAnswers.add(ClaimAnswers.expecting(20_000, 500_000));
        runOnce();
        store.claimAnswers.add(ClaimAnswers.endingLeases("a"));
        store.claimAnswers.add(ClaimAnswers.endingLeases("b"));

        loop.stop().join();

        assertThat(claimedSlots()).containsExactly(CONCURRENCY, 0, 0, 0);
        assertThat(told).containsExactly("lease of a", "lease of b");
    }

    @Test
    void endsWithoutAClaimIfNobodyReliesOnIt() throws Exception {
        runOnce();

        loop.stop().join();

        assertThat(store.calls("claim")).hasSize(1);
    }

    private List<Integer> claimedSlots() {
        return store.calls("claim").stream()
                .map(call -> ((ClaimRequest) call.argument()).slots())
                .toList();
    }

    @Test
    void claimsNothingWithoutAFreeSlot() throws Exception {
        target.free = 0;

        assertThat(runOnce()).isEqualTo(GUARD);
        assertThat(store.calls).isEmpty();
    }

    @Test
    void claimsNothingWhilePaused() throws Exception {
        loop.pause(true);
        assertThat(runOnce()).isEqualTo(GUARD);
        assertThat(store.calls).isEmpty();

        loop.pause(false);
        assertThat(store.calls("claim")).hasSize(1);
    }

    @Test
    void sleepsForTheGuardIntervalIfNothingIsPending() throws Exception {
        assertThat(runOnce()).isEqualTo(GUARD);
    }

    @Test
    void claimsAgainAtOnceAfterAFullBatchIfAllSlotsAreFree() throws Exception {
        target.free = 2;
        target.freeAfterwards = CONCURRENCY;
        store.claimAnswers.add(ClaimAnswers.more(EngineFixtures.claimed("a"), EngineFixtures.claimed("b")));

        assertThat(runOnce()).isZero();
    }

    @Test
    void claimsAgainAtOnceAfterExpiredLeases() throws Exception {
        store.claimAnswers.add(StoreCalls.claimAnswer(
                SleepyStore.NOW, 0, false, List.of(), List.of(), List.of("back"), List.of(), 0, 1, 0, 0, 0));

        assertThat(runOnce()).isZero();
    }

    @Test
    void waitsForSlotsAfterABatchThatFilledThem() throws Exception {
        target.free = 1;
        target.freeAfterwards = 0;
        store.claimAnswers.add(ClaimAnswers.more(EngineFixtures.claimed("a")));

        assertThat(runOnce()).isEqualTo(GUARD);
    }

    /** Others may rely on it although more is due than it had room for. */
    @Test
    void waitsForSlotsUntilOthersRelyOnIt() throws Exception {
        target.free = 1;
        target.freeAfterwards = 0;
        store.claimAnswers.add(ClaimAnswers.moreExpecting(1_000_000, EngineFixtures.claimed("a")));

        assertThat(runOnce())
                .isPositive()
                .isLessThanOrEqualTo(Duration.ofMillis(995).toNanos());
        assertThat(store.calls("claim")).hasSize(1);

        store.claimAnswers.add(ClaimAnswers.expecting(0, -1));
        await().until(() -> runOnce() == GUARD);
        assertThat(claimedSlots()).containsExactly(1, 0);
    }

    @Test
    void passesMessagesOnInOrderAndKnowsWhenTheyAreDue() throws Exception {
        Claimed late = StoreCalls.claimed(
                EngineFixtures.claimed("late").message(), SleepyStore.NOW - 5000, SleepyStore.NOW + 1);
        Claimed early = StoreCalls.claimed(
                EngineFixtures.claimed("early").message(), SleepyStore.NOW + 7000, SleepyStore.NOW + 1);
        store.claimAnswers.add(ClaimAnswers.waiting(-1, late, EngineFixtures.claimed("b"), early));

        long before = System.nanoTime();
        runOnce();
        long after = System.nanoTime();

        assertThat(target.accepted)
                .extracting(message -> message.message().id())
                .containsExactly("late", "b", "early");
        long due = dues().get(1);
        assertThat(due).isBetween(before, after);
        assertThat(dues()).containsExactly(due - 5_000_000, due, due + 7_007_000);
    }

    @Test
    void scansAllMessagesInStepsIfSomeAreUnscheduled() throws Exception {
        store.claimAnswers.add(StoreCalls.claimAnswer(
                SleepyStore.NOW, -1, false, List.of(), List.of(), List.of(), List.of(), 0, 1, 0, 2, 0));
        store.orphanScanAnswers.add(new OrphanScanStep("17", List.of(new ClaimAnswer.DeadLettered("a", 1))));
        store.orphanScanAnswers.add(new OrphanScanStep("0", List.of(new ClaimAnswer.DeadLettered("b", 0))));

        assertThat(runOnce()).as("pause").isBetween(1L, Duration.ofMillis(100).toNanos());
        assertThat(runOnce()).isEqualTo(GUARD);
        assertThat(runOnce()).isEqualTo(GUARD);

        assertThat(store.calls("scanOrphans"))
                .extracting(SleepyStore.Call::argument)
                .containsExactly("0", "17");
        assertThat(told).containsExactly("1 orphans", "dead a after 1", "1 orphans", "dead b after 0");
    }

    @Test
    void aScanThatFailsHoldsNoClaimUpAndGoesOnLaterWhereItWas() throws Exception {
        ClaimAnswer unscheduled = StoreCalls.claimAnswer(
                SleepyStore.NOW, -1, false, List.of(), List.of(), List.of(), List.of(), 0, 1, 0, 2, 0);
        store.claimAnswers.add(unscheduled);
        store.orphanScanAnswers.add(new OrphanScanStep("17", List.of()));
        runOnce();
        store.be("scanOrphans", Mood.failing(new RedisAccessDeniedException("no hscan", null, null, null)));

        assertThat(runOnce()).isEqualTo(GUARD);
        assertThat(runOnce()).isEqualTo(GUARD);
        store.be("scanOrphans", Mood.AWAKE);
        store.claimAnswers.add(unscheduled);
        runOnce();

        assertThat(store.calls("claim")).hasSize(4);
        assertThat(store.calls("scanOrphans"))
                .extracting(SleepyStore.Call::argument)
                .containsExactly("0", "17", "17");
    }

    @Test
    void theLeaseOfAClaimThatWasAnsweredLateIsAsShortAsTheStoreSays() throws Exception {
        Claimed nearlyOver =
                StoreCalls.claimed(EngineFixtures.claimed("a").message(), SleepyStore.NOW, SleepyStore.NOW + 2_000_000);
        store.claimAnswers.add(ClaimAnswers.waiting(-1, nearlyOver));

        runOnce();

        assertThat(target.accepted.get(0).leaseNanosLeft()).isLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(2));
    }

    @Test
    void purgesInStepsWhileABatchIsFull() throws Exception {
        store.claimAnswers.add(StoreCalls.claimAnswer(
                SleepyStore.NOW, -1, false, List.of(), List.of(), List.of(), List.of(), 0, 1, 0, 0, 1));
        store.purged.addAll(List.of(512L, 512L, 511L, 512L));

        runOnce();

        await().until(() -> store.calls("purgeByRetention").size() == 3);
        assertThat(store.calls("purgeByRetention"))
                .allSatisfy(call -> assertThat(call.partition()).isEqualTo(EngineFixtures.PARTITION));
        assertThat(store.purged).containsExactly(512L);
    }

    @Test
    void reportsWhatTheClaimFound() throws Exception {
        store.claimAnswers.add(StoreCalls.claimAnswer(
                SleepyStore.NOW,
                -1,
                false,
                List.of(),
                List.of("old"),
                List.of("back"),
                List.of(new ClaimAnswer.DeadLettered("dead", 3)),
                2,
                1,
                4,
                0,
                0));

        runOnce();

        assertThat(told)
                .containsExactly(
                        "expired old",
                        "lease of back",
                        "lease of dead",
                        "dead dead after 3",
                        "2 orphans",
                        "4 deferred");
    }

    private List<Long> dues() {
        return target.accepted.stream().map(InFlightMessage::dueNanos).toList();
    }
}
