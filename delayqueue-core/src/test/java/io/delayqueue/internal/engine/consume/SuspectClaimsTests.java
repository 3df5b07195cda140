package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.testsupport.ClaimAnswers;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SuspectClaimsTests {

    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration COMMAND_TIMEOUT = DelayQueueOptions.defaults().commandTimeout();

    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final SuspectPermit permit = new SuspectPermit(timer);
    private final AtomicInteger woken = new AtomicInteger();
    private final AtomicInteger otherWoken = new AtomicInteger();
    private final SuspectClaims claims = claims(LONG, woken::incrementAndGet);
    private final SuspectClaims other = claims(LONG, otherWoken::incrementAndGet);

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
    }

    @Test
    void noneIsTakenBeforeAnAnswerSaidThatOneIsDue() {
        assertThat(claims.takePermitIfDue()).isFalse();

        claims.answered(true);

        Eventually.asserted(() -> assertThat(woken).hasValue(1));
        assertThat(claims.takePermitIfDue()).isTrue();
    }

    @Test
    void whileOneIsInFlightNeitherThisPartitionNorAnotherTakesOne() {
        claims.answered(true);
        InFlightMessage suspect = suspect(LONG);
        assertThat(claims.take(suspect)).isTrue();
        claims.answered(true);
        other.answered(true);

        assertThat(claims.takePermitIfDue()).isFalse();
        assertThat(other.takePermitIfDue()).isFalse();
        assertThat(other.take(suspect(LONG))).as("one that comes all the same").isFalse();
    }

    @Test
    void partitionsTakeTurns() {
        claims.answered(true);
        InFlightMessage suspect = suspect(LONG);
        claims.take(suspect);
        claims.answered(true);
        other.answered(true);

        suspect.settling(CompletableFuture.completedFuture(true));

        Eventually.asserted(() -> assertThat(otherWoken).hasValue(1));
        assertThat(claims.takePermitIfDue()).isFalse();
        assertThat(other.takePermitIfDue()).isTrue();
    }

    @Test
    void aPartitionWithoutAFreeSlotLetsTheOthersGoFirst() {
        claims.answered(true);
        other.answered(true);

        claims.noClaim();

        Eventually.asserted(() -> assertThat(otherWoken).hasValue(1));
        other.noClaim();
        assertThat(claims.takePermitIfDue())
                .as("with a slot, the permit being free")
                .isTrue();
    }

    @Test
    void aClaimThatBroughtNoSuspectGivesThePermitBack() {
        claims.answered(true);
        assertThat(claims.takePermitIfDue()).isTrue();

        claims.answered(false);

        other.answered(true);
        assertThat(other.takePermitIfDue()).isTrue();
    }

    @Test
    void aSuspectWhoseHandlerBeganKeepsThePermitForItsLeaseWhileItsServerIsSilent() {
        Duration lease = COMMAND_TIMEOUT.plusSeconds(1);
        claims.answered(true);
        InFlightMessage suspect = suspect(lease);
        long takenNanos = System.nanoTime();
        claims.take(suspect);
        other.answered(true);

        suspect.begin();
        suspect.settling(new CompletableFuture<>());

        Eventually.asserted(() -> assertThat(otherWoken).hasValue(1));
        assertThat(System.nanoTime() - takenNanos)
                .isGreaterThan(COMMAND_TIMEOUT.plusMillis(500).toNanos());
    }

    /** One after the other is claimed from a server that falls silent, and released as its mark is not answered. */
    @Test
    void suspectsThatDidNotBeginKeepThePermitForACommandTimeoutEachWhileTheirServerIsSilent() {
        List<SuspectClaims> silent = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int number = i;
            silent.add(claims(LONG, () -> {
                InFlightMessage suspect = suspect(LONG);
                if (silent.get(number).take(suspect)) {
                    suspect.decideUnlessBegun();
                    suspect.settling(new CompletableFuture<>());
                }
            }));
        }
        silent.forEach(each -> each.answered(true));
        other.answered(true);

        Eventually.asserted(() -> assertThat(otherWoken).hasValue(1));
        assertThat(other.takePermitIfDue()).isTrue();
    }

    @Test
    void aStoppedPartitionKeepsThePermitUntilItsSuspectIsSettledAndAsksNoMore() {
        claims.answered(true);
        InFlightMessage suspect = suspect(LONG);
        claims.take(suspect);
        claims.answered(true);
        claims.stop();
        assertThat(other.take(suspect(LONG))).isFalse();

        suspect.settling(CompletableFuture.completedFuture(true));

        assertThat(other.take(suspect(LONG))).isTrue();
        assertThat(claims.take(suspect(LONG)))
                .as("the answer to its last claim")
                .isFalse();
    }

    @Test
    void aClaimThatIsNotAnsweredSoonGivesThePermitBack() {
        SleepyStore store = new SleepyStore();
        ConsumerContext context =
                EngineFixtures.context(store, ConsumerOptions.builder().build(), timer, DelayQueueObserver.NONE);
        ClaimLoop loop = new ClaimLoop(context, EngineFixtures.PARTITION, "me", new RecordingTarget(10, timer), permit);
        store.claimAnswers.add(ClaimAnswers.suspectDue());
        store.be("claim", Mood.silentAfterOne());
        loop.start();
        Eventually.asserted(() -> assertThat(store.calls("claim")).hasSize(2));

        other.answered(true);

        Eventually.asserted(() -> assertThat(otherWoken).hasValue(1));
        assertThat(other.takePermitIfDue()).isTrue();
    }

    @Test
    void suspectsThatHangKeepThePermitForTenLeasesEach() {
        Duration lease = ConsumerOptions.MIN_LEASE;
        List<SuspectClaims> hanging = new ArrayList<>();
        List<Long> takenNanos = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            hanging.add(claims(lease, () -> {
                if (hanging.get(number).take(suspect(LONG))) {
                    takenNanos.add(System.nanoTime());
                }
            }));
        }
        long begunNanos = System.nanoTime();
        hanging.forEach(each -> each.answered(true));

        Eventually.asserted(() -> assertThat(takenNanos).hasSize(5));
        assertThat(takenNanos.get(4) - begunNanos)
                .isGreaterThan(lease.multipliedBy(4L * SuspectClaims.MAX_LEASES).toNanos());
    }

    private SuspectClaims claims(Duration lease, Runnable claim) {
        ConsumerOptions options = ConsumerOptions.builder().lease(lease).build();
        return new SuspectClaims(
                EngineFixtures.context(new SleepyStore(), options, timer, DelayQueueObserver.NONE), permit, claim);
    }

    private static InFlightMessage suspect(Duration lease) {
        long now = System.nanoTime();
        Claimed claimed =
                new Claimed(EngineFixtures.claimed("s").message(), SleepyStore.NOW, SleepyStore.NOW + 1, true);
        return new InFlightMessage(claimed, 0, now, now + lease.toNanos());
    }
}
