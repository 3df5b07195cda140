package io.delayqueue.testsupport.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Evidence.HeldLease;
import io.delayqueue.testsupport.fleet.Verdict.DuplicateCause;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An oracle that sees nothing wrong must be one that could. */
class OracleTests {

    private static final long DELAY = 1_000;

    /** µs, as all times here. */
    private static final long LEASE = 900;

    private static final long ON_TIME = 1_500;
    private static final long RECOVERY = 4_000;

    private static final Strike LONG_AGO = new Strike("of another time", null, -900_000, -800_000);

    private final List<Entry> log = new ArrayList<>();
    private final List<Strike> strikes = new ArrayList<>(List.of(LONG_AGO));
    private final Map<String, List<HeldLease>> leases = new HashMap<>();

    @Test
    void messageHandledOnceIsSound() {
        scheduled();
        delivered("b", 1, 2_000);
        write("b", What.ACKED, 1, 2_100);

        Verdict verdict = judge();

        verdict.requireSound();
        assertThat(verdict)
                .extracting(Verdict::intended, Verdict::acknowledged, Verdict::observed)
                .containsExactly(1, 1, 1);
        assertThat(verdict.duplicates()).isEmpty();
    }

    @Test
    void acknowledgedAndNeverHandledToTheEndIsLost() {
        scheduled();
        write("b", What.BEGUN, 1, 2_000);

        assertThat(judge().lost()).containsExactly("m");
    }

    @Test
    void withoutAnAnswerNothingWasPromised() {
        write("a", What.INTENDED, DELAY, 0);

        judge().requireSound();
    }

    @Test
    void handledAndNeverScheduledIsInvented() {
        delivered("b", 1, 2_000);

        assertThat(judge().invented()).containsExactly("m");
    }

    @Test
    void earlyIsWhatBeganBeforeTheDelayWasOverByAMicrosecond() {
        scheduled();
        delivered("b", 1, DELAY);
        assertThat(judge().early()).isEmpty();

        log.clear();
        scheduled();
        delivered("b", 1, DELAY - 1);
        assertThat(judge().early()).containsExactly("m");
    }

    @Test
    void lateIsWhatBeganLaterThanTheGuardAllowsIfNoFaultCameNear() {
        begunLate(DELAY + ON_TIME);
        assertThat(judge().late()).isEmpty();

        begunLate(DELAY + ON_TIME + 1);
        assertThat(judge().late()).hasSize(1);
    }

    @Test
    void lateIsWhatBeganTooLongAfterTheLastFault() {
        strikes.add(new Strike("paused", "b", 2_000, 3_000));
        begunLate(3_000 + RECOVERY);
        assertThat(judge().late()).isEmpty();

        begunLate(3_000 + RECOVERY + 1);
        assertThat(judge().late()).hasSize(1);
    }

    @Test
    void lateIsWhatEachOfManyFaultsPutOffForLongerThanItsRecovery() {
        for (int i = 0; i < 10; i++) {
            strikes.add(new Strike("paused", "b", 2_000 + 10_000 * i, 2_010 + 10_000 * i));
        }
        long budgetOfTwo = RECOVERY + 2 * (10 + RECOVERY);
        begunLate(DELAY + budgetOfTwo);
        assertThat(judge().late()).isEmpty();

        begunLate(DELAY + budgetOfTwo + 1);
        assertThat(judge().late()).hasSize(1);
        begunLate(92_010);
        assertThat(judge().late()).as("right after the tenth").hasSize(1);
    }

    @Test
    void faultThatWasOverLongBeforeTheDueTimeExcusesNoLateness() {
        strikes.add(new Strike("paused", "b", -9_000, DELAY - RECOVERY - 1));
        begunLate(DELAY + ON_TIME + 1);
        assertThat(judge().late()).hasSize(1);

        strikes.add(new Strike("paused", "b", -9_000, DELAY - RECOVERY));
        assertThat(judge().late()).isEmpty();
    }

    @Test
    void faultOfAnotherWorkerExcusesLatenessAndItsStallDoesNot() {
        begunLate(DELAY + ON_TIME + 1);
        strikes.add(Strike.stall(new Entry("c", What.STALLED, "-", "-", 0, 0, 1_100, 1_400)));
        assertThat(judge().late()).hasSize(1);

        strikes.add(new Strike("paused", "c", 1_100, 1_400));
        assertThat(judge().late()).isEmpty();
    }

    @Test
    void stallOfTheWorkerThatHadTheMessageExcusesItsLateness() {
        begunLate(DELAY + ON_TIME + 1);
        strikes.add(Strike.stall(new Entry("b", What.STALLED, "-", "-", 0, 0, 1_100, 1_400)));

        assertThat(judge().late()).isEmpty();
    }

    private void begunLate(long at) {
        log.clear();
        scheduled();
        log.add(new Entry("b", What.BEGUN, "topic", "m", 1, DELAY, at, at));
        write("b", What.ENDED, 1, at + 50);
    }

    @Test
    void secondDeliveryAfterTheLeaseHasNoCauseIfNoFaultHitTheFirstWorker() {
        scheduled();
        delivered("b", 1, 2_000);
        delivered("c", 2, 3_000);
        assertThat(judge().unexplained()).hasSize(1);

        strikes.add(new Strike("paused", "c", 2_100, 2_200));
        assertThat(judge().unexplained()).hasSize(1);
    }

    @Test
    void stallThatOneWorkerReportsIsNoCauseForAnother() {
        scheduled();
        delivered("b", 1, 2_000);
        delivered("c", 2, 3_000);
        strikes.add(Strike.stall(new Entry("c", What.STALLED, "-", "-", 0, 0, 2_050, 2_900)));
        assertThat(judge().unexplained()).hasSize(1);

        strikes.add(Strike.stall(new Entry("b", What.STALLED, "-", "-", 0, 0, 2_050, 2_900)));
        assertCause(DuplicateCause.LEASE_LOST);
    }

    @Test
    void whatTheLibrarySaysOfItsLeasesIsNoCause() {
        scheduled();
        delivered("b", 1, 2_000);
        write("c", What.LEASE_EXPIRED, 0, 2_900);
        delivered("c", 2, 3_000);
        write("b", What.LEASE_LOST, 1, 3_100);

        assertThat(judge().unexplained()).hasSize(1);
    }

    @Test
    void secondDeliveryOfAnAckedMessageHasNoCauseWhateverBecameOfItsLease() {
        scheduled();
        delivered("b", 1, 2_000);
        write("b", What.ACKED, 1, 2_100);
        strikes.add(new Strike("paused", "b", 2_050, 2_900));
        delivered("c", 2, 3_000);

        assertThat(judge().unexplained()).hasSize(1);
    }

    @Test
    void faultOfTheFirstWorkerIsACauseOnceItsLeaseIsOver() {
        scheduled();
        delivered("b", 1, 2_000);
        strikes.add(new Strike("paused", "b", 2_050, 2_900));
        delivered("c", 2, 3_000);

        assertCause(DuplicateCause.LEASE_LOST);
    }

    @Test
    void faultIsNoCauseWhileRedisHeldTheLease() {
        scheduled();
        delivered("b", 1, 2_000);
        strikes.add(new Strike("paused", "b", 2_050, 2_900));
        leases.put("m", List.of(new HeldLease(1, 3_001)));
        delivered("c", 2, 3_000);
        assertThat(judge().unexplained()).hasSize(1);

        leases.put("m", List.of(new HeldLease(1, 3_000), new HeldLease(2, 3_900)));
        assertCause(DuplicateCause.LEASE_LOST);
    }

    @Test
    void faultIsNoCauseWithinALeaseOfTheDueTime() {
        write("a", What.INTENDED, 0, 30_000);
        write("a", What.ACKNOWLEDGED, 0, 30_010);
        delivered("b", 1, 30_020);
        strikes.add(new Strike("paused", "b", 30_030, 30_040));
        // claimed 25 ms before it was due at the earliest
        delivered("c", 2, 5_000 + LEASE - 1);
        assertThat(judge().unexplained()).hasSize(1);
    }

    @Test
    void lostLeaseThatDidNotCountIsNone() {
        scheduled();
        delivered("b", 1, 2_000);
        strikes.add(new Strike("paused", "b", 2_050, 2_900));
        delivered("c", 1, 3_000);

        assertThat(judge().unexplained()).hasSize(1);
    }

    @Test
    void killedProcessIsACause() {
        scheduled();
        write("b", What.BEGUN, 1, 2_000);
        log.add(new Entry("b", What.KILLED, "-", "-", 0, 0, 0, 0));
        delivered("c", 2, 3_000);

        assertCause(DuplicateCause.CRASH);
    }

    @Test
    void killOfAnotherWorkerIsNoCause() {
        scheduled();
        delivered("b", 1, 2_000);
        log.add(new Entry("a", What.KILLED, "-", "-", 0, 0, 0, 0));
        delivered("c", 2, 3_000);

        assertThat(judge().unexplained()).hasSize(1);
    }

    @Test
    void scheduleThatReturnedLateIsNoCauseUnlessItWasSentAgain() {
        write("a", What.INTENDED, DELAY, 0);
        delivered("b", 1, 2_000);
        write("b", What.ACKED, 1, 2_100);
        write("a", What.ACKNOWLEDGED, 0, 2_500);
        delivered("c", 1, 3_000);
        strikes.add(new Strike("paused", "b", 100, 200));
        strikes.add(new Strike("paused", "a", 2_501, 2_600));
        assertThat(judge().unexplained()).hasSize(1);

        strikes.add(new Strike("paused", "a", 2_500, 2_600));
        assertCause(DuplicateCause.SCHEDULE_REPEATED);
    }

    @Test
    void scheduleSentAgainIsACauseOnlyIfItHadNotReturnedBefore() {
        write("a", What.INTENDED, DELAY, 0);
        delivered("b", 1, 2_000);
        write("b", What.ACKED, 1, 2_100);
        write("a", What.REPEATED, 0, 2_400);
        write("a", What.ACKNOWLEDGED, 0, 2_500);
        delivered("c", 1, 3_000);
        assertCause(DuplicateCause.SCHEDULE_REPEATED);

        log.clear();
        scheduled();
        delivered("b", 1, 2_000);
        write("b", What.ACKED, 1, 2_100);
        delivered("c", 1, 3_000);
        assertThat(judge().unexplained()).hasSize(1);
    }

    @Test
    void scheduleSentAgainIsACauseAfterASecondAttemptToo() {
        write("a", What.INTENDED, DELAY, 0);
        delivered("b", 2, 2_000);
        write("b", What.ACKED, 2, 2_100);
        write("a", What.REPEATED, 0, 2_400);
        write("a", What.ACKNOWLEDGED, 0, 2_500);
        delivered("b", 1, 3_000);
        write("b", What.ACKED, 1, 3_100);

        assertCause(DuplicateCause.SCHEDULE_REPEATED);
    }

    @Test
    void claimThatWasLostIsACauseOfASecondAttemptOfAMessageThatWasMadeAnew() {
        secondAttemptOfAMessageThatWasMadeAnew(2_000 + LEASE);
        assertThat(judge().unexplained()).as("no fault took a claim").hasSize(1);

        strikes.add(new Strike("replies lost", "a", 2_150, 2_160));
        assertCause(DuplicateCause.SCHEDULE_REPEATED);

        log.clear();
        secondAttemptOfAMessageThatWasMadeAnew(2_000 + LEASE - 1);
        assertThat(judge().unexplained())
                .as("the lease of the first attempt lasted")
                .hasSize(1);
    }

    private void secondAttemptOfAMessageThatWasMadeAnew(long begun) {
        write("a", What.INTENDED, DELAY, 0);
        delivered("b", 1, 2_000);
        write("b", What.ACKED, 1, 2_100);
        write("a", What.REPEATED, 0, 2_200);
        delivered("b", 2, begun);
        write("a", What.ACKNOWLEDGED, 0, 4_000);
    }

    @Test
    void anAckOfAnEarlierMessageOfThatIdIsNoneOfTheOneThatWasMadeAnew() {
        write("a", What.INTENDED, DELAY, 0);
        delivered("b", 1, 2_000);
        write("b", What.ACKED, 1, 2_100);
        write("a", What.REPEATED, 0, 2_400);
        write("a", What.ACKNOWLEDGED, 0, 2_500);
        delivered("b", 1, 3_000);
        strikes.add(new Strike("paused", "b", 3_060, 3_900));
        delivered("c", 2, 4_000);

        Verdict verdict = judge();
        verdict.requireSound();
        assertThat(verdict.duplicates())
                .isEqualTo(Map.of(DuplicateCause.SCHEDULE_REPEATED, 1, DuplicateCause.LEASE_LOST, 1));

        write("b", What.ACKED, 1, 3_100);
        assertThat(judge().unexplained()).hasSize(1);
    }

    private Verdict judge() {
        Duration recovery = Duration.of(RECOVERY, ChronoUnit.MICROS);
        return Oracle.judge(
                log,
                new Evidence(
                        Duration.of(LEASE, ChronoUnit.MICROS),
                        recovery,
                        Duration.of(ON_TIME, ChronoUnit.MICROS),
                        recovery,
                        strikes,
                        leases));
    }

    private void assertCause(DuplicateCause cause) {
        Verdict verdict = judge();
        verdict.requireSound();
        assertThat(verdict.duplicates()).isEqualTo(Map.of(cause, 1));
    }

    /** By a, at once. */
    private void scheduled() {
        write("a", What.INTENDED, DELAY, 0);
        write("a", What.ACKNOWLEDGED, 0, 10);
    }

    private void delivered(String worker, int attempt, long at) {
        write(worker, What.BEGUN, attempt, at);
        write(worker, What.ENDED, attempt, at + 50);
    }

    private void write(String worker, What what, long number, long at) {
        log.add(new Entry(worker, what, "topic", "m", number, 0, at, at));
    }
}
