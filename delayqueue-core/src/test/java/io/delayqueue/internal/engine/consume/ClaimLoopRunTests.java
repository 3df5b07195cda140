package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.engine.dispatch.Capacity;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.SleepyStore;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The loop as it runs: its passes follow each other by themselves. */
class ClaimLoopRunTests {

    private static final int CONCURRENCY = 10;

    private final SleepyStore store = new SleepyStore();
    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final RecordingTarget target = new RecordingTarget(CONCURRENCY);
    private final ConsumerContext context = EngineFixtures.context(
            store, ConsumerOptions.builder().concurrency(CONCURRENCY).build(), timer, DelayQueueObserver.NONE);
    private final ClaimLoop loop =
            new ClaimLoop(context, EngineFixtures.PARTITION, "me", target, new SuspectPermit(timer));
    private final LogLines log = LogLines.ofEngine();

    @AfterEach
    void stopLoop() {
        store.wakeUp();
        loop.stop();
        timer.shutdownNow();
        log.close();
    }

    @Test
    void sleepsUntilFiveMillisecondsBeforeTheNextMessageIsDueAndNoLonger() {
        store.claimAnswers.add(SleepyStore.waiting(TimeUnit.MILLISECONDS.toMicros(60)));
        long start = System.nanoTime();
        loop.start();

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(2));
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(55));
    }

    @Test
    void aWakeUpForAnEarlierMessageEndsTheSleep() {
        loop.start();
        assertThat(claims()).isEqualTo(1);

        loop.wakeUp(TimeUnit.MILLISECONDS.toMicros(1));

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(2));
    }

    @Test
    void freedCapacityEndsTheSleepOfALoopThatLackedIt() {
        target.free = 0;
        loop.start();
        assertThat(claims()).isZero();

        target.free = 1;
        loop.capacityFreed(new Capacity(1, CONCURRENCY));

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(1));
    }

    @Test
    void freedCapacityDoesNotWakeALoopThatLackedNone() {
        loop.start();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
        Eventually.asserted(() -> {
            loop.capacityFreed(new Capacity(CONCURRENCY, CONCURRENCY));
            assertThat(System.nanoTime()).isGreaterThan(end);
        });

        assertThat(claims()).isEqualTo(1);
    }

    @Test
    void aLoopClaimsNothingBehindABacklogOfSettlementsAndGoesOnWhenItIsGone() {
        target.backlog = true;
        loop.start();
        loop.wakeUp(0);
        loop.settled();
        assertThat(claims()).isZero();
        assertThat(target.warnings).isPositive();

        target.backlog = false;
        loop.settled();

        assertThat(claims()).isEqualTo(1);
    }

    @Test
    void aResumedLoopClaimsAtOnce() {
        loop.pause(true);
        loop.start();
        assertThat(claims()).isZero();

        loop.pause(false);

        assertThat(claims()).isEqualTo(1);
    }

    @Test
    void aStoppedLoopClaimsNoMore() {
        loop.start();
        assertThat(loop.stop()).isDone();

        loop.wakeUp(0);
        loop.pause(false);

        assertThat(claims()).isEqualTo(1);
    }

    @Test
    void aStopWaitsForTheClaimUnderWayAndForNoOther() {
        SleepyStore.Gate gate = new SleepyStore.Gate();
        store.be(gate);
        store.claimAnswers.add(SleepyStore.more(EngineFixtures.claimed("a")));
        loop.start();
        var stopped = loop.stop();
        assertThat(stopped).isNotDone();

        gate.open();

        assertThat(stopped).isDone();
        assertThat(target.accepted).hasSize(1);
        assertThat(claims()).isEqualTo(1);
    }

    static Stream<SleepyStore.Mood> failures() {
        return Stream.of(
                SleepyStore.Mood.failing(new RedisUnavailableException("away", null, null, null)),
                SleepyStore.Mood.failing(new UnexpectedReplyException("nonsense", null, null, null)),
                SleepyStore.Mood.failing(new IllegalStateException("bug")),
                SleepyStore.Mood.failing(new OutOfMemoryError("pretended")),
                SleepyStore.Mood.throwing(new IllegalStateException("against the contract")));
    }

    @Test
    void onlyFailuresThatLastMakeTheLoopUnhealthy() {
        store.be(SleepyStore.Mood.failing(new OutOfMemoryError("pretended")));
        long begunNanos = System.nanoTime();
        loop.start();
        Eventually.asserted(() -> assertThat(loop.isFailing()).isTrue());
        boolean healthy = loop.isHealthy();
        if (System.nanoTime() - begunNanos < ClaimHealth.MAX_FAILING_NANOS) {
            assertThat(healthy).isTrue();
        }

        Eventually.asserted(() -> assertThat(loop.isHealthy()).isFalse());
        assertThat(System.nanoTime() - begunNanos).isGreaterThan(ClaimHealth.MAX_FAILING_NANOS);

        store.wakeUp();
        Eventually.asserted(() -> assertThat(loop.isHealthy()).isTrue());
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aFailureNeitherEndsTheLoopNorMakesItSpin(SleepyStore.Mood failure) {
        store.be(failure);
        loop.start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        Eventually.asserted(() -> {
            loop.wakeUp(0);
            assertThat(System.nanoTime()).isGreaterThan(end);
        });
        assertThat(claims()).as("claims in a second of failures").isBetween(2, 25);
        assertThat(loop.isFailing()).isTrue();
        assertThat(log.lines()).as("one line of warning").hasSize(1);
        assertThat(target.reserved).as("capacity kept for claims that failed").isZero();

        store.wakeUp();

        Eventually.asserted(() -> assertThat(loop.isFailing()).isFalse());
        assertThat(store.callIds("claim").get(1)).isEqualTo(new CallId("me", 1, true));
    }

    @Test
    void aPartitionThatDoesNotAnswerHoldsNoSlot() {
        store.fallAsleep();
        loop.start();
        Eventually.asserted(() -> assertThat(claims()).isGreaterThan(2));

        assertThat(store.calls("claim").stream().skip(1))
                .allSatisfy(call ->
                        assertThat(((ClaimRequest) call.argument()).slots()).isZero());
        assertThat(target.reserved).isZero();
    }

    /** The claim may have leased messages that are not due yet, although its answer was lost. */
    @Test
    void aRepeatedClaimNamesHowEarlyTheFirstOneMayHaveBeen() {
        target.early = 5;
        store.fallAsleep();
        loop.start();
        Eventually.asserted(() -> assertThat(claims()).isGreaterThan(1));

        assertThat(((ClaimRequest) store.calls("claim").get(1).argument()).early())
                .isEqualTo(new ClaimRequest.Early(DelayQueueOptions.DEFAULT_CLAIM_AHEAD, 0));
    }

    @Test
    void aClaimThatIsNotAnsweredSoonGivesItsCapacityBackAndItsMessagesAreAcceptedAllTheSame() {
        SleepyStore.Gate gate = new SleepyStore.Gate();
        store.be(gate);
        store.claimAnswers.add(SleepyStore.waiting(1_000, EngineFixtures.claimed("late")));
        store.claimAnswers.add(SleepyStore.more());
        loop.start();
        assertThat(target.reserved).isEqualTo(CONCURRENCY);

        Eventually.asserted(() -> assertThat(target.reserved).isZero());
        assertThat(claims()).as("one claim at a time").isEqualTo(1);
        store.wakeUp();
        gate.open();

        assertThat(target.accepted).hasSize(1);
        Eventually.asserted(() -> assertThat(claims()).isGreaterThan(2));
        assertThat(store.calls("claim").stream().skip(1).map(call -> ((ClaimRequest) call.argument()).slots()))
                .as("its share once, then as many as it can get")
                .startsWith(RecordingTarget.FAIR_SHARE, CONCURRENCY);
        assertThat(target.reserved).isZero();
    }

    @Test
    void claimsThatAreAnsweredAtOnceKeepNoCapacity() {
        for (int i = 0; i < 100; i++) {
            store.claimAnswers.add(SleepyStore.more());
        }
        loop.start();

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(101));
        assertThat(target.reserved).isZero();
        assertThat(store.calls("claim").stream().map(call -> ((ClaimRequest) call.argument()).slots()))
                .containsOnly(CONCURRENCY);
    }

    /** Else the messages that it leased would wait until their leases expire. */
    @Test
    void aPausedLoopFetchesTheMessagesOfAClaimWhoseAnswerWasLost() {
        store.fallAsleep();
        loop.start();
        loop.pause(true);
        store.claimAnswers.add(SleepyStore.waiting(0, EngineFixtures.claimed("leased")));
        store.wakeUp();

        Eventually.asserted(() -> assertThat(target.accepted).hasSize(1));
        assertThat(((ClaimRequest) store.calls("claim").get(claims() - 1).argument()).slots())
                .isZero();
        int then = claims();
        loop.wakeUp(0);
        assertThat(claims()).as("claims while paused").isEqualTo(then);
    }

    @Test
    void aLoopThatWaitsForSettlementsClaimsNothingAndIsNotHealthy() {
        target.urgentLease = true;
        loop.start();
        loop.wakeUp(0);
        assertThat(claims()).isZero();
        assertThat(loop.isFailing()).isTrue();

        target.urgentLease = false;

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(2));
        assertThat(store.calls("claim").stream().map(call -> ((ClaimRequest) call.argument()).slots()))
                .as("the first one holds no slot")
                .containsExactly(0, CONCURRENCY);
        assertThat(loop.isFailing()).isFalse();
    }

    @Test
    void aPassThatCallsNothingReportsNeitherHealthNorTheEndOfAFailure() {
        RecordingTarget full = new RecordingTarget(CONCURRENCY);
        full.free = 0;
        ClaimLoop idle = new ClaimLoop(context, EngineFixtures.PARTITION, "other", full, new SuspectPermit(timer));
        store.fallAsleep();
        loop.start();
        Eventually.asserted(() -> assertThat(log.lines()).hasSize(1));

        idle.start();
        idle.wakeUp(0);
        target.urgentLease = true;
        target.looks = 0;
        Eventually.asserted(() -> assertThat(target.looks).isPositive());
        int then = claims();
        Eventually.asserted(() -> assertThat(target.looks).isGreaterThan(2));

        assertThat(claims()).isEqualTo(then);
        assertThat(loop.isFailing()).isTrue();
        assertThat(log.lines()).as("nothing works again").hasSize(1);
        idle.stop();
    }

    @Test
    void whatElseAClaimFoundHoldsUpNeitherItsMessagesNorTheNextClaim() {
        target.partitionCountFailure = new IllegalStateException("pretended");
        store.claimAnswers.add(SleepyStore.more(EngineFixtures.claimed("a")));
        store.claimAnswers.add(SleepyStore.more(EngineFixtures.claimed("b")));
        loop.start();

        Eventually.asserted(() -> assertThat(target.accepted).hasSize(2));
        assertThat(store.calls("claim").stream().map(call -> ((ClaimRequest) call.argument()).slots()))
                .containsOnly(CONCURRENCY);
        assertThat(loop.isFailing()).isFalse();
        assertThat(log.lines()).hasSize(1);
        assertThat(log.everything()).contains("pretended");
    }

    @Test
    void anAnswerThatNeverComesIsWaitedForWithoutSpinning() {
        store.be(SleepyStore.Mood.SILENT);
        loop.start();
        for (int i = 0; i < 100; i++) {
            loop.wakeUp(0);
        }

        assertThat(claims()).isEqualTo(1);
    }

    @Test
    void aBusyConsumerWaitsAMomentForMoreSlotsThanTheFirst() {
        fill();
        target.free = 1;
        long freed = System.nanoTime();
        loop.capacityFreed(new Capacity(1, CONCURRENCY));

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(2));
        assertThat(target.lastAskedNanos - freed).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(1));
    }

    @Test
    void anIdleConsumerClaimsAtOnce() {
        fill();
        target.free = CONCURRENCY;
        loop.capacityFreed(new Capacity(CONCURRENCY, CONCURRENCY));

        assertThat(claims()).isEqualTo(2);
        assertThat(store.calls("claim").get(1).argument()).extracting("slots").isEqualTo(CONCURRENCY);
    }

    private void fill() {
        target.fills = true;
        target.free = 2;
        store.claimAnswers.add(SleepyStore.more(EngineFixtures.claimed("a"), EngineFixtures.claimed("b")));
        loop.start();
        assertThat(target.accepted).hasSize(2);
        assertThat(claims()).as("no slot is free").isEqualTo(1);
    }

    private int claims() {
        return store.calls("claim").size();
    }
}
