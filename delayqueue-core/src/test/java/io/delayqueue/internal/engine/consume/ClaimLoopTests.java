package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.OrphanScanStep;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.SleepyStore;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Single passes of the loop. */
class ClaimLoopTests {

    private static final int CONCURRENCY = 10;
    private static final long GUARD = Duration.ofHours(1).toNanos();

    private final SleepyStore store = new SleepyStore();
    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final RecordingTarget target = new RecordingTarget(CONCURRENCY);
    private final List<String> told = new ArrayList<>();
    private final ClaimLoop loop = loop();

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
    }

    @Test
    void asksForAsManyMessagesAsThereAreFreeSlots() throws Exception {
        target.free = 7;
        runOnce();

        assertThat(requests()).extracting(ClaimRequest::slots).containsExactly(7);
    }

    @Test
    void asksForPrefetchedMessages() throws Exception {
        target.free = 7;
        target.prefetch = 5;
        runOnce();

        assertThat(requests())
                .extracting(ClaimRequest::slots, ClaimRequest::prefetch)
                .containsExactly(tuple(7, 5));
    }

    @Test
    void endsTheReservationHoweverTheClaimEnds() throws Exception {
        runOnce();
        store.fallAsleep();
        assertThatThrownBy(this::runOnce).isInstanceOf(CompletionException.class);

        assertThat(target.reserved).isZero();
    }

    @Test
    void asksForNoMoreThanALargestBatch() throws Exception {
        target.free = 5000;
        runOnce();

        assertThat(requests()).extracting(ClaimRequest::slots).containsExactly(MessageStore.LARGEST_BATCH);
    }

    @Test
    void asksForEarlyMessagesAsFarAsTheyMayWait() throws Exception {
        target.early = 8;
        runOnce();
        target.early = 0;
        runOnce();

        assertThat(requests())
                .extracting(ClaimRequest::early)
                .containsExactly(
                        new ClaimRequest.Early(Duration.ofMillis(25), 8),
                        new ClaimRequest.Early(Duration.ofMillis(25), 0));
    }

    @Test
    void asksForTheTimeAfterAClaimOfSeveralEarlyMessages() {
        target.early = 5;
        store.claimAnswers.add(SleepyStore.waiting(4_000, EngineFixtures.claimed("due"), early("a"), early("b")));
        runOnce();
        assertThat(store.calls("time")).hasSize(1);

        store.claimAnswers.add(SleepyStore.waiting(4_000, EngineFixtures.claimed("due"), early("c")));
        runOnce();
        assertThat(store.calls("time")).as("one early message").hasSize(1);
    }

    @Test
    void theClockTakesTheTimeThatWasAskedFor() {
        target.early = 5;
        store.time = SleepyStore.NOW + TimeUnit.HOURS.toMicros(1);
        store.claimAnswers.add(SleepyStore.waiting(4_000, early("a"), early("b")));
        runOnce();

        assertThat(loop.clock().nanosOf(store.time)).isCloseTo(System.nanoTime(), within(TimeUnit.MINUTES.toNanos(10)));
    }

    @Test
    void aTimeThatIsRefusedDoesNoHarm() {
        target.early = 5;
        store.be("time", SleepyStore.Mood.failing(new RedisAccessDeniedException("no evalsha", null, null, null)));
        store.claimAnswers.add(SleepyStore.waiting(4_000, early("a"), early("b")));

        runOnce();

        assertThat(target.accepted).hasSize(2);
    }

    private static Claimed early(String id) {
        return StoreCalls.claimed(EngineFixtures.claimed(id).message(), SleepyStore.NOW + 7000, SleepyStore.NOW + 1);
    }

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
        store.claimAnswers.add(SleepyStore.more(EngineFixtures.claimed("a"), EngineFixtures.claimed("b")));

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
        store.claimAnswers.add(SleepyStore.more(EngineFixtures.claimed("a")));

        assertThat(runOnce()).isEqualTo(GUARD);
    }

    @Test
    void passesMessagesOnInOrderAndKnowsWhenTheyAreDue() throws Exception {
        Claimed late = StoreCalls.claimed(
                EngineFixtures.claimed("late").message(), SleepyStore.NOW - 5000, SleepyStore.NOW + 1);
        Claimed early = StoreCalls.claimed(
                EngineFixtures.claimed("early").message(), SleepyStore.NOW + 7000, SleepyStore.NOW + 1);
        store.claimAnswers.add(SleepyStore.waiting(-1, late, EngineFixtures.claimed("b"), early));

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
        store.be("scanOrphans", SleepyStore.Mood.failing(new RedisAccessDeniedException("no hscan", null, null, null)));

        assertThat(runOnce()).isEqualTo(GUARD);
        assertThat(runOnce()).isEqualTo(GUARD);
        store.be("scanOrphans", SleepyStore.Mood.AWAKE);
        store.claimAnswers.add(unscheduled);
        runOnce();

        assertThat(store.calls("claim")).hasSize(4);
        assertThat(store.calls("scanOrphans"))
                .extracting(SleepyStore.Call::argument)
                .containsExactly("0", "17", "17");
    }

    @Test
    void numbersItsClaims() throws Exception {
        runOnce();
        runOnce();

        assertThat(store.callIds("claim")).containsExactly(new CallId("me", 1, false), new CallId("me", 2, false));
    }

    @Test
    void namesTheTimeUntilWhichAClaimEndsLeases() throws Exception {
        runOnce();
        runOnce();

        long quarter = TimeUnit.NANOSECONDS.toMicros(EngineFixtures.LEASE.toNanos() / 4);
        assertThat(requests().get(0).endsLeasesUntilMicros())
                .as("the store's clock is not known yet")
                .isZero();
        assertThat(requests().get(1).endsLeasesUntilMicros())
                .isBetween(SleepyStore.NOW + quarter, SleepyStore.NOW + 2 * quarter);
    }

    @Test
    void everyOtherClaimEndsLeasesHoweverLongItIsOnItsWay() {
        ClaimLoop ofShortLeases = new ClaimLoop(
                EngineFixtures.context(
                        store,
                        ConsumerOptions.builder().lease(Duration.ofMillis(200)).build(),
                        timer,
                        new Told()),
                EngineFixtures.PARTITION,
                "me",
                target,
                new SuspectPermit(timer));
        ofShortLeases.runOnce().join();
        SleepyStore.Gate gate = new SleepyStore.Gate();
        store.be(gate);
        CompletableFuture<Long> slow = ofShortLeases.runOnce();
        long begun = System.nanoTime();
        Eventually.asserted(() -> assertThat(System.nanoTime() - begun)
                .isGreaterThan(Duration.ofMillis(60).toNanos()));
        store.wakeUp();
        gate.open();
        slow.join();
        ofShortLeases.runOnce().join();
        ofShortLeases.runOnce().join();

        assertThat(requests())
                .extracting(request -> request.endsLeasesUntilMicros() == 0)
                .containsExactly(true, false, true, false);
    }

    @Test
    void repeatsTheSameClaimUntilItIsAnswered() throws Exception {
        store.fallAsleep();
        assertThatThrownBy(this::runOnce).isInstanceOf(CompletionException.class);
        assertThatThrownBy(this::runOnce).isInstanceOf(CompletionException.class);
        store.wakeUp();
        runOnce();
        runOnce();

        assertThat(store.callIds("claim"))
                .containsExactly(
                        new CallId("me", 1, false),
                        new CallId("me", 1, true),
                        new CallId("me", 1, true),
                        new CallId("me", 2, false));
    }

    @Test
    void theLeaseOfAClaimThatWasAnsweredLateIsAsShortAsTheStoreSays() throws Exception {
        Claimed nearlyOver =
                StoreCalls.claimed(EngineFixtures.claimed("a").message(), SleepyStore.NOW, SleepyStore.NOW + 2_000_000);
        store.claimAnswers.add(SleepyStore.waiting(-1, nearlyOver));

        runOnce();

        assertThat(target.accepted.get(0).leaseNanosLeft()).isLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(2));
    }

    @Test
    void asksForOldDeadLettersNowAndThenOnly() throws Exception {
        runOnce();
        runOnce();

        assertThat(requests()).extracting(ClaimRequest::retention).containsExactly(Duration.ofDays(14), null);
        assertThat(store.calls("purgeByRetention")).isEmpty();
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

    @Test
    void theLastClaimIsRepeatedAtTheStopOnlyIfItsAnswerIsMissing() {
        runOnce();
        assertThat(loop.stop()).isDone();
        assertThat(store.calls("claim")).hasSize(1);

        ClaimLoop unanswered = loop();
        store.fallAsleep();
        assertThatThrownBy(() -> unanswered.runOnce().join()).isInstanceOf(CompletionException.class);
        store.wakeUp();
        store.claimAnswers.add(SleepyStore.waiting(-1, EngineFixtures.claimed("leased")));
        assertThat(unanswered.stop()).isDone();
        assertThat(store.callIds("claim")).hasSize(3).last().isEqualTo(new CallId("me", 1, true));
        assertThat(target.accepted)
                .as("nothing is left to its lease")
                .extracting(message -> message.message().id())
                .containsExactly("leased");
    }

    private long runOnce() {
        return loop.runOnce().join();
    }

    private ClaimLoop loop() {
        return new ClaimLoop(
                EngineFixtures.context(
                        store,
                        ConsumerOptions.builder().concurrency(CONCURRENCY).build(),
                        timer,
                        new Told()),
                EngineFixtures.PARTITION,
                "me",
                target,
                new SuspectPermit(timer));
    }

    private List<Long> dues() {
        return target.accepted.stream().map(InFlightMessage::dueNanos).toList();
    }

    private List<ClaimRequest> requests() {
        return store.calls("claim").stream()
                .map(call -> (ClaimRequest) call.argument())
                .toList();
    }

    private final class Told implements DelayQueueObserver {
        @Override
        public void expired(String topic, String id) {
            told.add("expired " + id);
        }

        @Override
        public void leaseExpired(String topic, String id) {
            told.add("lease of " + id);
        }

        @Override
        public void deadLettered(String topic, String id, int attempts, String error) {
            told.add("dead " + id + " after " + attempts);
        }

        @Override
        public void orphaned(String topic, long count) {
            told.add(count + " orphans");
        }

        @Override
        public void deferredToNewerVersion(String topic, long count) {
            told.add(count + " deferred");
        }
    }
}
