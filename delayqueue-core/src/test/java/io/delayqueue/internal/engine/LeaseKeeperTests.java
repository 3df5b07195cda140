package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaseKeeperTests {

    private static final Duration LEASE = Duration.ofHours(3);
    private static final Duration YOUNG = Duration.ofHours(3).minusMinutes(1);
    private static final Duration OLD = Duration.ofHours(2).minusMinutes(1);

    private final SleepyStore store = new SleepyStore();
    private final ScheduledExecutorService timer = Fixtures.timer();
    private final LogLines log = LogLines.of("io.delayqueue");
    private final List<InFlightMessage> inHands = new ArrayList<>();
    private final Settlements settlements = Fixtures.settlements(store, timer);
    private final LeaseKeeper keeper = new LeaseKeeper(inHands, LEASE);

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
        log.close();
    }

    @Test
    void renewsWhatIsAThirdOver() {
        InFlightMessage old = inHand("old", OLD);
        inHand("young", YOUNG);
        long receipt = old.lease().receipt();

        keeper.runOnce();

        assertThat(store.calls("extend"))
                .singleElement()
                .extracting(SleepyStore.Call::argument)
                .isEqualTo(List.of(new Extension(new Lease("old", receipt), LEASE)));
        assertThat(old.lease().receipt()).isEqualTo(receipt + 1000);
        assertThat(old.leaseNanosLeft()).isGreaterThan(YOUNG.toNanos());
    }

    @Test
    void doesNotRenewAgainWhatItJustDid() {
        inHand("old", OLD);
        keeper.runOnce();
        keeper.runOnce();

        assertThat(store.calls("extend")).hasSize(1);
    }

    @Test
    void doesNotAskAgainWhileOneRenewalIsUnderWay() {
        inHand("old", OLD);
        store.be(SleepyStore.Mood.SILENT);
        keeper.runOnce();
        keeper.runOnce();
        keeper.runOnce();

        assertThat(store.calls("extend")).hasSize(1);
    }

    @Test
    void renewalThatFailsIsRepeatedUntilItWorks() {
        InFlightMessage old = inHand("old", OLD);
        store.fallAsleep();
        keeper.runOnce();
        Eventually.asserted(() -> assertThat(store.calls("extend")).hasSizeGreaterThan(1));

        store.wakeUp();

        Eventually.asserted(() -> assertThat(old.leaseNanosLeft()).isGreaterThan(YOUNG.toNanos()));
        assertThat(store.turns("extend")).extracting("number").containsOnly(1L);
    }

    @Test
    void leavesAloneWhatIsDecidedOrLost() {
        inHand("decided", OLD).decide();
        inHand("lost", OLD).loseLease();

        keeper.runOnce();

        assertThat(store.calls("extend")).isEmpty();
    }

    @Test
    void noteOfALostLeaseIsTaken() {
        InFlightMessage lost = inHand("lost", OLD);
        store.held = lease -> false;

        keeper.runOnce();
        keeper.runOnce();

        assertThat(lost.isLeaseLost()).isTrue();
        assertThat(store.calls("extend")).hasSize(1);
    }

    @Test
    void looksOftenEnoughForThreeTrials() {
        Duration betweenThirdAndEnd = LEASE.multipliedBy(2).dividedBy(3);

        assertThat(keeper.interval().multipliedBy(4)).isLessThanOrEqualTo(betweenThirdAndEnd);
    }

    private InFlightMessage inHand(String id, Duration leaseLeft) {
        InFlightMessage inHand = new InFlightMessage(
                Fixtures.claimed(id), System.nanoTime(), System.nanoTime() + leaseLeft.toNanos(), settlements);
        inHands.add(inHand);
        return inHand;
    }
}
