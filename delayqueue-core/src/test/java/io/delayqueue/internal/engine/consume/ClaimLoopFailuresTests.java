package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.testsupport.ClaimAnswers;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.Gate;
import io.delayqueue.testsupport.Mood;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The loop as it runs, while calls fail or are not answered. */
class ClaimLoopFailuresTests extends RunningLoop {

    static Stream<Mood> failures() {
        return Stream.of(
                Mood.failing(new RedisUnavailableException("away", null, null, null)),
                Mood.failing(new UnexpectedReplyException("nonsense", null, null, null)),
                Mood.failing(new IllegalStateException("bug")),
                Mood.failing(new OutOfMemoryError("pretended")),
                Mood.throwing(new IllegalStateException("against the contract")));
    }

    @Test
    void onlyFailuresThatLastMakeTheLoopUnhealthy() {
        store.be(Mood.failing(new OutOfMemoryError("pretended")));
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
    void aFailureNeitherEndsTheLoopNorMakesItSpin(Mood failure) {
        store.be(failure);
        loop.start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        Eventually.asserted(() -> {
            loop.wakeUp(0);
            assertThat(System.nanoTime()).isGreaterThan(end);
        });
        assertThat(claims()).as("claims in a second of failures").isBetween(2, 25);
        assertThat(loop.isFailing()).isTrue();
        assertThat(lines()).as("one line of warning").hasSize(1);
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
        Gate gate = new Gate();
        store.be(gate);
        store.claimAnswers.add(ClaimAnswers.waiting(1_000, EngineFixtures.claimed("late")));
        store.claimAnswers.add(ClaimAnswers.more());
        loop.start();
        Eventually.asserted(() -> assertThat(target.mostReserved).isEqualTo(CONCURRENCY));

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

    /** Else the messages that it leased would wait until their leases expire. */
    @Test
    void aPausedLoopFetchesTheMessagesOfAClaimWhoseAnswerWasLost() {
        store.fallAsleep();
        loop.start();
        loop.pause(true);
        store.claimAnswers.add(ClaimAnswers.waiting(0, EngineFixtures.claimed("leased")));
        store.wakeUp();

        Eventually.asserted(() -> assertThat(target.accepted).hasSize(1));
        assertThat(((ClaimRequest) store.calls("claim").get(claims() - 1).argument()).slots())
                .isZero();
        int then = claims();
        loop.wakeUp(0);
        assertThat(claims()).as("claims while paused").isEqualTo(then);
    }

    @Test
    void aPassThatCallsNothingReportsNeitherHealthNorTheEndOfAFailure() {
        RecordingTarget full = new RecordingTarget(CONCURRENCY, timer);
        full.free = 0;
        ClaimLoop idle = new ClaimLoop(context, partition, "other", full, new SuspectPermit(timer));
        store.fallAsleep();
        loop.start();
        Eventually.asserted(() -> assertThat(lines()).hasSize(1));

        idle.start();
        idle.wakeUp(0);
        target.urgentLease = true;
        target.looks = 0;
        Eventually.asserted(() -> assertThat(target.looks).isPositive());
        int then = claims();
        Eventually.asserted(() -> assertThat(target.looks).isGreaterThan(2));

        assertThat(claims()).isEqualTo(then);
        assertThat(loop.isFailing()).isTrue();
        assertThat(lines()).as("nothing works again").hasSize(1);
        idle.stop();
    }

    @Test
    void whatElseAClaimFoundHoldsUpNeitherItsMessagesNorTheNextClaim() {
        target.partitionCountFailure = new IllegalStateException("pretended");
        store.claimAnswers.add(ClaimAnswers.more(EngineFixtures.claimed("a")));
        store.claimAnswers.add(ClaimAnswers.more(EngineFixtures.claimed("b")));
        loop.start();

        Eventually.asserted(() -> assertThat(target.accepted).hasSize(2));
        assertThat(store.calls("claim").stream().map(call -> ((ClaimRequest) call.argument()).slots()))
                .containsOnly(CONCURRENCY);
        assertThat(loop.isFailing()).isFalse();
        assertThat(lines()).hasSize(1);
        assertThat(log.everything()).contains("pretended");
    }

    @Test
    void anAnswerThatNeverComesIsWaitedForWithoutSpinning() {
        store.be(Mood.SILENT);
        loop.start();
        for (int i = 0; i < 100; i++) {
            loop.wakeUp(0);
        }

        assertThat(claims()).isEqualTo(1);
    }
}
