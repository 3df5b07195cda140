package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.engine.dispatch.Capacity;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.testsupport.ClaimAnswers;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.Gate;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The loop as it runs: its passes follow each other by themselves. */
class ClaimLoopRunTests extends RunningLoop {

    @Test
    void sleepsUntilFiveMillisecondsBeforeTheNextMessageIsDueAndNoLonger() {
        store.claimAnswers.add(ClaimAnswers.waiting(TimeUnit.MILLISECONDS.toMicros(60)));
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
        Gate gate = new Gate();
        store.be(gate);
        store.claimAnswers.add(ClaimAnswers.more(EngineFixtures.claimed("a")));
        loop.start();
        var stopped = loop.stop();
        assertThat(stopped).isNotDone();

        gate.open();

        assertThat(stopped).isDone();
        assertThat(target.accepted).hasSize(1);
        assertThat(claims()).isEqualTo(1);
    }

    @Test
    void claimsThatAreAnsweredAtOnceKeepNoCapacity() {
        for (int i = 0; i < 100; i++) {
            store.claimAnswers.add(ClaimAnswers.more());
        }
        loop.start();

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(101));
        assertThat(target.reserved).isZero();
        assertThat(store.calls("claim").stream().map(call -> ((ClaimRequest) call.argument()).slots()))
                .containsOnly(CONCURRENCY);
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
        store.claimAnswers.add(ClaimAnswers.more(EngineFixtures.claimed("a"), EngineFixtures.claimed("b")));
        loop.start();
        assertThat(target.accepted).hasSize(2);
        assertThat(claims()).as("no slot is free").isEqualTo(1);
    }
}
