package io.delayqueue.internal.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.FailingLog;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaseKeeperTests {

    private static final Duration LEASE = Duration.ofHours(3);
    private static final Duration YOUNG = Duration.ofHours(3).minusMinutes(1);
    private static final Duration OLD = Duration.ofHours(2).minusMinutes(1);

    private final SleepyStore store = new SleepyStore();
    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final LogLines log = LogLines.ofEngine();
    private final Settlements settlements = EngineFixtures.settlements(store, timer);
    private final LeaseKeeper keeper = new LeaseKeeper(settlements, LEASE);

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
        log.close();
    }

    @Test
    void renewsALeaseOfWhichAThirdIsOver() {
        InFlightMessage old = message("old", OLD);
        message("young", YOUNG);
        long receipt = old.lease().receipt();

        keeper.run();

        assertThat(store.calls("extend"))
                .singleElement()
                .extracting(SleepyStore.Call::argument)
                .asInstanceOf(InstanceOfAssertFactories.list(Extension.class))
                .singleElement()
                .satisfies(extension -> {
                    assertThat(extension.lease()).isEqualTo(new Lease("old", receipt));
                    assertThat(extension.duration()).isEqualTo(LEASE);
                    assertThat(extension.mode()).isEqualTo(Extension.Mode.RENEW);
                    assertThat(extension.held()).isPositive();
                });
        assertThat(old.lease().receipt()).isEqualTo(receipt + 1000);
        assertThat(old.leaseNanosLeft()).isGreaterThan(YOUNG.toNanos());
    }

    @Test
    void doesNotRenewAFreshLeaseAgain() {
        message("old", OLD);
        keeper.run();
        keeper.run();

        assertThat(store.calls("extend")).hasSize(1);
    }

    @Test
    void asksOnceWhileARenewalIsUnderWay() {
        message("old", OLD);
        store.be(Mood.SILENT);
        keeper.run();
        keeper.run();
        keeper.run();

        assertThat(store.calls("extend")).hasSize(1);
    }

    @Test
    void aRenewalThatFailsIsRepeatedUntilItSucceeds() {
        InFlightMessage old = message("old", OLD);
        store.fallAsleep();
        keeper.run();
        Eventually.asserted(() -> assertThat(store.calls("extend")).hasSizeGreaterThan(1));

        store.wakeUp();

        Eventually.asserted(() -> assertThat(old.leaseNanosLeft()).isGreaterThan(YOUNG.toNanos()));
        assertThat(store.callIds("extend")).extracting("number").containsOnly(1L);
    }

    @Test
    void leavesDecidedAndLostMessagesAlone() {
        message("decided", OLD).decide();
        message("lost", OLD).loseLease();

        keeper.run();

        assertThat(store.calls("extend")).isEmpty();
    }

    /** Else Redis would take them for begun if the process died now. */
    @Test
    void leavesSingleAttemptsAloneUntilTheyBegin() {
        List<InFlightMessage> waiting = IntStream.range(0, 50)
                .mapToObj(i -> EngineFixtures.singleAttempt("m" + i, OLD))
                .toList();
        waiting.forEach(settlements::add);

        keeper.run();
        assertThat(store.calls("extend")).isEmpty();

        waiting.forEach(InFlightMessage::begin);
        keeper.run();
        assertThat(waiting)
                .allSatisfy(message -> assertThat(message.leaseNanosLeft()).isGreaterThan(YOUNG.toNanos()));
    }

    @Test
    void aLostLeaseIsNoted() {
        InFlightMessage lost = message("lost", OLD);
        store.held = lease -> false;

        keeper.run();
        keeper.run();

        assertThat(lost.isLeaseLost()).isTrue();
        assertThat(store.calls("extend")).hasSize(1);
    }

    @Test
    void looksOftenEnoughForThreeAttempts() {
        Duration betweenThirdAndEnd = LEASE.multipliedBy(2).dividedBy(3);

        assertThat(keeper.interval().multipliedBy(4)).isLessThanOrEqualTo(betweenThirdAndEnd);
    }

    /** A failure in the way of one renewal ends neither the others nor the later ones. */
    @Test
    void leasesAreStillRenewedWhenTheStoreAndTheLogHaveThrown() {
        List<InFlightMessage> many =
                IntStream.range(0, 50).mapToObj(i -> message("m" + i, OLD)).toList();
        store.be("extend", Mood.throwing(new IllegalStateException("against the contract")));
        try (FailingLog failing = FailingLog.begin()) {
            timer.scheduleWithFixedDelay(keeper, 0, 10, TimeUnit.MILLISECONDS);
            Eventually.asserted(() -> assertThat(store.calls("extend")).hasSizeGreaterThan(2));
            assertThat(failing.failedLines()).isPositive();
            store.wakeUp("extend");

            Eventually.asserted(() -> assertThat(many)
                    .allSatisfy(message -> assertThat(message.leaseNanosLeft()).isGreaterThan(YOUNG.toNanos())));
        }
        InFlightMessage next = message("next", OLD);
        Eventually.asserted(() -> assertThat(next.leaseNanosLeft()).isGreaterThan(YOUNG.toNanos()));
    }

    private InFlightMessage message(String id, Duration leaseLeft) {
        InFlightMessage message = EngineFixtures.inFlight(id, leaseLeft);
        settlements.add(message);
        return message;
    }
}
