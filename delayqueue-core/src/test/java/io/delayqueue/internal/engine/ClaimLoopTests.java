package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.OrphanScanStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One pass of the loop, without its thread. */
class ClaimLoopTests {

    private static final int CONCURRENCY = 10;
    private static final long GUARD = Duration.ofHours(1).toNanos();

    private final SleepyStore store = new SleepyStore();
    private final ScheduledExecutorService timer = Fixtures.timer();
    private final Taker places = new Taker();
    private final List<String> told = new ArrayList<>();
    private final ClaimLoop loop = new ClaimLoop(
            Fixtures.context(
                    store, ConsumerOptions.builder().concurrency(CONCURRENCY).build(), timer, new Told()),
            Fixtures.PARTITION,
            "me",
            places);

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
    }

    @Test
    void asksForAsManyAsThereAreFreePlaces() throws Exception {
        places.free = 7;
        loop.runOnce();

        assertThat(requests()).extracting(ClaimRequest::slots).containsExactly(7);
    }

    @Test
    void asksForMoreThatMayWaitForAPlace() throws Exception {
        places.free = 7;
        places.beyond = 5;
        loop.runOnce();

        assertThat(requests())
                .extracting(ClaimRequest::slots, ClaimRequest::prefetch)
                .containsExactly(tuple(7, 5));
    }

    @Test
    void givesTheRoomBackHoweverTheClaimEnds() throws Exception {
        loop.runOnce();
        store.fallAsleep();
        assertThatThrownBy(loop::runOnce).isInstanceOf(ExecutionException.class);

        assertThat(places.reserved).isZero();
    }

    @Test
    void asksForNoMoreThanTheStoreGives() throws Exception {
        places.free = 5000;
        loop.runOnce();

        assertThat(requests()).extracting(ClaimRequest::slots).containsExactly(MessageStore.LARGEST_BATCH);
    }

    @Test
    void asksForWhatIsDueSoonAsFarAsThereIsRoomToWait() throws Exception {
        places.ahead = 8;
        loop.runOnce();
        places.ahead = 0;
        loop.runOnce();

        assertThat(requests())
                .extracting(ClaimRequest::early)
                .containsExactly(new ClaimRequest.Early(Duration.ofMillis(25), 8), ClaimRequest.Early.NOTHING);
    }

    /** The answer of the claim tells what time it was when it began. */
    @Test
    void asksForTheTimeIfTheNextClaimMayNeedIt() throws Exception {
        places.ahead = 5;
        store.claimAnswers.add(SleepyStore.waiting(4_000, Fixtures.claimed("due"), soon("a"), soon("b")));
        loop.runOnce();
        assertThat(store.calls("time")).hasSize(1);

        store.claimAnswers.add(SleepyStore.waiting(4_000, Fixtures.claimed("due"), soon("c")));
        loop.runOnce();
        assertThat(store.calls("time")).as("nothing is near").hasSize(1);
    }

    @Test
    void aTimeThatIsNotToldDoesNoHarm() throws Exception {
        places.ahead = 5;
        store.be("time", SleepyStore.Mood.failing(new RedisAccessDeniedException("no evalsha", null, null, null)));
        store.claimAnswers.add(SleepyStore.waiting(4_000, soon("a"), soon("b")));

        assertThat(loop.runOnce()).isEqualTo(GUARD);
        assertThat(places.accepted).hasSize(2);
    }

    private static Claimed soon(String id) {
        return new Claimed(Fixtures.claimed(id).message(), SleepyStore.NOW + 7000, SleepyStore.NOW + 1);
    }

    @Test
    void asksALittleBeforeTheNextIsDue() {
        assertThat(loop.untilClaim(20_000)).isEqualTo(Duration.ofMillis(15).toNanos());
        assertThat(loop.untilClaim(4_000)).isEqualTo(Duration.ofMillis(4).toNanos());
    }

    @Test
    void asksAtHalfTimeIfMoreIsDueSoonThanThereWerePlaces() throws Exception {
        places.ahead = 1;
        store.claimAnswers.add(SleepyStore.waiting(4_000, Fixtures.claimed("due"), soon("soon")));
        loop.runOnce();
        assertThat(loop.untilClaim(4_000)).isEqualTo(Duration.ofMillis(2).toNanos());

        loop.runOnce();
        assertThat(loop.untilClaim(4_000))
                .as("nothing was ahead")
                .isEqualTo(Duration.ofMillis(4).toNanos());
    }

    @Test
    void asksWhenTheNextIsDueIfNothingCanBeAhead() {
        ClaimLoop single = new ClaimLoop(
                Fixtures.context(store, ConsumerOptions.builder().concurrency(1).build(), timer, new Told()),
                Fixtures.PARTITION,
                "me",
                places);

        assertThat(single.untilClaim(20_000)).isEqualTo(Duration.ofMillis(20).toNanos());
    }

    @Test
    void asksForNothingWithoutAFreePlace() throws Exception {
        places.free = 0;

        assertThat(loop.runOnce()).isEqualTo(GUARD);
        assertThat(store.calls).isEmpty();
    }

    @Test
    void asksForNothingWhilePaused() throws Exception {
        loop.pause(true);
        assertThat(loop.runOnce()).isEqualTo(GUARD);
        assertThat(store.calls).isEmpty();

        loop.pause(false);
        loop.runOnce();
        assertThat(store.calls("claim")).hasSize(1);
    }

    @Test
    void sleepsForTheGuardIfNothingIsWaiting() throws Exception {
        assertThat(loop.runOnce()).isEqualTo(GUARD);
    }

    @Test
    void asksAgainAtOnceAfterAFullBatchIfAllPlacesAreFree() throws Exception {
        places.free = 2;
        places.freeAfterwards = CONCURRENCY;
        store.claimAnswers.add(SleepyStore.more(Fixtures.claimed("a"), Fixtures.claimed("b")));

        assertThat(loop.runOnce()).isZero();
    }

    @Test
    void asksAgainAtOnceAfterTakingLeasesBack() throws Exception {
        store.claimAnswers.add(new ClaimAnswer(
                SleepyStore.NOW, 0, false, List.of(), List.of(), List.of("back"), List.of(), 0, 1, 0, 0));

        assertThat(loop.runOnce()).isZero();
    }

    @Test
    void waitsForPlacesAfterABatchThatFilledThem() throws Exception {
        places.free = 1;
        places.freeAfterwards = 0;
        store.claimAnswers.add(SleepyStore.more(Fixtures.claimed("a")));

        assertThat(loop.runOnce()).isEqualTo(GUARD);
    }

    @Test
    void acceptsMessagesInOrderAndKnowsWhenTheyAreDue() throws Exception {
        Claimed late = new Claimed(Fixtures.claimed("late").message(), SleepyStore.NOW - 5000, SleepyStore.NOW + 1);
        Claimed early = new Claimed(Fixtures.claimed("early").message(), SleepyStore.NOW + 7000, SleepyStore.NOW + 1);
        store.claimAnswers.add(SleepyStore.waiting(-1, late, Fixtures.claimed("b"), early));

        long before = System.nanoTime();
        loop.runOnce();
        long after = System.nanoTime();

        assertThat(places.accepted).extracting(inHand -> inHand.message().id()).containsExactly("late", "b", "early");
        long due = places.dues.get(1);
        assertThat(due).isBetween(before, after);
        assertThat(places.dues).containsExactly(due - 5_000_000, due, due + 7_007_000);
    }

    @Test
    void looksThroughAllMessagesInStepsIfAnyAreAstray() throws Exception {
        store.claimAnswers.add(
                new ClaimAnswer(SleepyStore.NOW, -1, false, List.of(), List.of(), List.of(), List.of(), 0, 1, 0, 2));
        store.recoverAnswers.add(new OrphanScanStep("17", List.of(new ClaimAnswer.DeadLettered("a", 1))));
        store.recoverAnswers.add(new OrphanScanStep("0", List.of(new ClaimAnswer.DeadLettered("b", 0))));

        assertThat(loop.runOnce())
                .as("pause")
                .isBetween(1L, Duration.ofMillis(100).toNanos());
        assertThat(loop.runOnce()).isEqualTo(GUARD);
        assertThat(loop.runOnce()).isEqualTo(GUARD);

        assertThat(store.calls("recover"))
                .extracting(SleepyStore.Call::argument)
                .containsExactly("0", "17");
        assertThat(told).containsExactly("1 orphans", "dead a after 1", "1 orphans", "dead b after 0");
    }

    @Test
    void aRecoveryThatFailsHoldsNoClaimUpAndGoesOnLaterWhereItWas() throws Exception {
        ClaimAnswer astray =
                new ClaimAnswer(SleepyStore.NOW, -1, false, List.of(), List.of(), List.of(), List.of(), 0, 1, 0, 2);
        store.claimAnswers.add(astray);
        store.recoverAnswers.add(new OrphanScanStep("17", List.of()));
        loop.runOnce();
        store.be("recover", SleepyStore.Mood.failing(new RedisAccessDeniedException("no hscan", null, null, null)));

        assertThat(loop.runOnce()).isEqualTo(GUARD);
        assertThat(loop.runOnce()).isEqualTo(GUARD);
        store.be("recover", SleepyStore.Mood.AWAKE);
        store.claimAnswers.add(astray);
        loop.runOnce();

        assertThat(store.calls("claim")).hasSize(4);
        assertThat(store.calls("recover"))
                .extracting(SleepyStore.Call::argument)
                .containsExactly("0", "17", "17");
    }

    @Test
    void numbersItsTurns() throws Exception {
        loop.runOnce();
        loop.runOnce();

        assertThat(store.turns("claim")).containsExactly(new CallId("me", 1, false), new CallId("me", 2, false));
    }

    @Test
    void repeatsTheSameTurnUntilItIsAnswered() throws Exception {
        store.fallAsleep();
        assertThatThrownBy(loop::runOnce).isInstanceOf(ExecutionException.class);
        assertThatThrownBy(loop::runOnce).isInstanceOf(ExecutionException.class);
        store.wakeUp();
        loop.runOnce();
        loop.runOnce();

        assertThat(store.turns("claim"))
                .containsExactly(
                        new CallId("me", 1, false),
                        new CallId("me", 1, true),
                        new CallId("me", 1, true),
                        new CallId("me", 2, false));
    }

    @Test
    void claimsALastTimeOnlyIfAnAnswerIsMissing() throws Exception {
        loop.runOnce();
        loop.claimUnanswered();
        assertThat(store.calls("claim")).hasSize(1);

        store.fallAsleep();
        assertThatThrownBy(loop::runOnce).isInstanceOf(ExecutionException.class);
        store.wakeUp();
        loop.claimUnanswered();
        loop.claimUnanswered();
        assertThat(store.turns("claim")).hasSize(3).last().isEqualTo(new CallId("me", 2, true));
    }

    @Test
    void leaseOfAClaimThatWasAnsweredLateIsAsShortAsTheStoreSays() throws Exception {
        Claimed nearlyOver = new Claimed(Fixtures.claimed("a").message(), SleepyStore.NOW, SleepyStore.NOW + 2_000_000);
        store.claimAnswers.add(SleepyStore.waiting(-1, nearlyOver));

        loop.runOnce();

        assertThat(places.accepted.get(0).leaseNanosLeft()).isLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(2));
    }

    @Test
    void messageWithoutAThreadDoesNotKeepTheOthersOfItsBatchWaitingForTheirLeases() {
        places.refused = "a";
        store.claimAnswers.add(SleepyStore.waiting(-1, Fixtures.claimed("a"), Fixtures.claimed("b")));

        assertThatThrownBy(loop::runOnce).isInstanceOf(RejectedExecutionException.class);

        assertThat(places.accepted).extracting(inHand -> inHand.message().id()).containsExactly("b");
    }

    @Test
    void purgesOldDeadLettersNowAndThenOnly() throws Exception {
        loop.runOnce();
        loop.runOnce();

        assertThat(requests()).extracting(ClaimRequest::retention).containsExactly(Duration.ofDays(14), null);
    }

    @Test
    void tellsWhatWasFoundOnTheWay() throws Exception {
        store.claimAnswers.add(new ClaimAnswer(
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
                0));

        loop.runOnce();

        assertThat(told)
                .containsExactly(
                        "expired old", "lease of back", "lease of dead", "dead dead after 3", "2 orphans", "4 left");
    }

    private List<ClaimRequest> requests() {
        return store.calls("claim").stream()
                .map(call -> (ClaimRequest) call.argument())
                .toList();
    }

    /** Places as a test wants them. */
    private static final class Taker implements ClaimLoop.Sink {

        final List<InFlightMessage> accepted = new ArrayList<>();
        final List<Long> dues = new ArrayList<>();
        int free = CONCURRENCY;
        int ahead;
        int beyond;
        int reserved;
        boolean shared;

        @Nullable
        Integer freeAfterwards;

        @Nullable
        String refused;

        @Override
        public Places.Vacancy vacancy() {
            int now = free;
            if (freeAfterwards != null) {
                free = freeAfterwards;
            }
            return new Places.Vacancy(now, CONCURRENCY);
        }

        @Override
        public boolean isShared() {
            return shared;
        }

        @Override
        public Places.Room reserve(int most) {
            int count = Math.min(most, vacancy().room());
            reserved += count;
            return new Places.Room(count, beyond, ahead);
        }

        @Override
        public void unreserve(Places.Room room) {
            reserved -= room.inPlaces();
        }

        @Override
        public void answered(ClaimAnswer answer) {}

        @Override
        public void accept(Claimed claimed, long dueNanos, long leaseEndsNanos) {
            if (claimed.message().id().equals(refused)) {
                throw new RejectedExecutionException("no thread");
            }
            accepted.add(Fixtures.inHand(claimed, leaseEndsNanos));
            dues.add(dueNanos);
        }
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
            told.add(count + " left");
        }
    }
}
