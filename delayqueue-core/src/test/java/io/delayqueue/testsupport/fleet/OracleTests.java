package io.delayqueue.testsupport.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Verdict.DuplicateCause;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An oracle that sees nothing wrong must be one that could. */
class OracleTests {

    private static final long DELAY = 1_000;

    private final List<Entry> log = new ArrayList<>();

    @Test
    void messageHandledOnceIsSound() {
        scheduled();
        delivered("b", 1, 2_000);
        write("b", What.ACKED, 1, 2_100);

        Verdict verdict = Oracle.judge(log);

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

        assertThat(Oracle.judge(log).lost()).containsExactly("m");
    }

    @Test
    void withoutAnAnswerNothingWasPromised() {
        write("a", What.INTENDED, DELAY, 0);

        Oracle.judge(log).requireSound();
    }

    @Test
    void handledAndNeverScheduledIsInvented() {
        delivered("b", 1, 2_000);

        assertThat(Oracle.judge(log).invented()).containsExactly("m");
    }

    @Test
    void earlyIsWhatBeganBeforeTheDelayWasOverByAMicrosecond() {
        scheduled();
        delivered("b", 1, DELAY);
        assertThat(Oracle.judge(log).early()).isEmpty();

        log.clear();
        scheduled();
        delivered("b", 1, DELAY - 1);
        assertThat(Oracle.judge(log).early()).containsExactly("m");
    }

    @Test
    void secondDeliveryWithoutATraceOfALostLeaseHasNoCause() {
        scheduled();
        delivered("b", 1, 2_000);
        delivered("c", 2, 3_000);

        assertThat(Oracle.judge(log).unexplained()).hasSize(1);
    }

    @Test
    void secondDeliveryOfAnAckedMessageHasNoCauseWhateverBecameOfItsLease() {
        scheduled();
        delivered("b", 1, 2_000);
        write("b", What.ACKED, 1, 2_100);
        write("c", What.LEASE_EXPIRED, 0, 2_900);
        delivered("c", 2, 3_000);

        assertThat(Oracle.judge(log).unexplained()).hasSize(1);
    }

    @Test
    void lostLeaseThatCountedAsAnAttemptIsACause() {
        scheduled();
        delivered("b", 1, 2_000);
        delivered("c", 2, 3_000);
        write("b", What.LEASE_LOST, 1, 3_100);

        assertCause(DuplicateCause.LEASE_LOST);
    }

    @Test
    void lostLeaseThatDidNotCountIsNone() {
        scheduled();
        delivered("b", 1, 2_000);
        write("b", What.LEASE_LOST, 1, 2_900);
        delivered("c", 1, 3_000);

        assertThat(Oracle.judge(log).unexplained()).hasSize(1);
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

        assertThat(Oracle.judge(log).unexplained()).hasSize(1);
    }

    @Test
    void scheduleSentAgainIsACauseOnlyIfItHadNotReturnedBefore() {
        write("a", What.INTENDED, DELAY, 0);
        delivered("b", 1, 2_000);
        write("b", What.ACKED, 1, 2_100);
        write("a", What.ACKNOWLEDGED, 0, 2_500);
        delivered("c", 1, 3_000);
        assertCause(DuplicateCause.SCHEDULE_REPEATED);

        log.clear();
        scheduled();
        delivered("b", 1, 2_000);
        write("b", What.ACKED, 1, 2_100);
        delivered("c", 1, 3_000);
        assertThat(Oracle.judge(log).unexplained()).hasSize(1);
    }

    @Test
    void anAckOfAnEarlierMessageOfThatIdIsNoneOfTheOneThatWasMadeAnew() {
        write("a", What.INTENDED, DELAY, 0);
        delivered("b", 1, 2_000);
        write("b", What.ACKED, 1, 2_100);
        write("a", What.ACKNOWLEDGED, 0, 2_500);
        delivered("b", 1, 3_000);
        write("c", What.LEASE_EXPIRED, 0, 3_900);
        delivered("c", 2, 4_000);

        Verdict verdict = Oracle.judge(log);
        verdict.requireSound();
        assertThat(verdict.duplicates())
                .isEqualTo(Map.of(DuplicateCause.SCHEDULE_REPEATED, 1, DuplicateCause.LEASE_LOST, 1));

        write("b", What.ACKED, 1, 3_100);
        assertThat(Oracle.judge(log).unexplained()).hasSize(1);
    }

    private void assertCause(DuplicateCause cause) {
        Verdict verdict = Oracle.judge(log);
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
