package io.delayqueue.gateway.http.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.TopicStats;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The check of what clients were told finds each broken promise. */
class LedgerTests {

    private static final Instant DUE = Instant.ofEpochSecond(1_000);

    /** One message, of which clients were told nothing yet. */
    private final Ledger ledger = new Ledger();

    LedgerTests() {
        ledger.scheduling("a", DUE);
    }

    /** Of an empty topic. */
    private static TopicStats stats(long accepted, long acked) {
        return new TopicStats(
                "load",
                TopicStats.Pending.NONE,
                0,
                0,
                new TopicStats.Totals(accepted, acked, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                DUE,
                false);
    }

    private void assertBroken(TopicStats stats, String words) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> ledger.check(stats))
                .withMessageContaining(words);
    }

    /** @param now by Redis' clock */
    private void claimed(Instant now) {
        claimed(DUE, 1, 0, now);
    }

    /** A claim of the message that began and was answered in this number of nanoseconds from now. */
    private void claimed(Instant due, int attempt, long nanosFromNow, Instant now) {
        long at = System.nanoTime() + nanosFromNow;
        ledger.claimed("a", due, attempt, at, at, now);
    }

    @Test
    void messageThatIsAckedOnceIsFine() {
        claimed(DUE);
        assertThat(ledger.unacked()).isEqualTo(1);
        ledger.acked("a");
        assertThat(ledger.unacked()).isZero();
        ledger.check(stats(1, 1));
    }

    @Test
    void claimThatBeganBeforeTheAckMayHaveTheMessage() {
        long begun = System.nanoTime();
        claimed(DUE);
        ledger.settling("a");
        ledger.acked("a");
        ledger.claimed("a", DUE, 2, begun - 1, System.nanoTime(), DUE);
        ledger.check(stats(1, 1));
    }

    @Test
    void secondMessageAfterAScheduleWithoutAnAnswerIsFine() {
        ledger.scheduleIsRepeated("a");
        claimed(DUE);
        ledger.settling("a");
        ledger.acked("a");
        claimed(DUE, 1, 1_000_000, DUE);
        ledger.acked("a");
        ledger.check(stats(2, 2));
    }

    @Test
    void earlyMessageIsFound() {
        claimed(DUE.minusNanos(1_000));
        ledger.acked("a");
        assertBroken(stats(1, 1), "is due at");
    }

    @Test
    void messageBeforeTheTimeThatItsClientAskedForIsFound() {
        Instant earlier = DUE.minusNanos(1_000);
        claimed(earlier, 1, 0, earlier);
        ledger.acked("a");
        assertBroken(stats(1, 1), "may come from");
    }

    @Test
    void messageAfterItsAckIsFound() {
        claimed(DUE);
        ledger.acked("a");
        claimed(DUE, 2, 1_000_000, DUE);
        assertBroken(stats(1, 1), "came again after its ack");
    }

    @Test
    void messageOfTwoClientsAtATimeIsFound() {
        long at = System.nanoTime();
        long beforeItsEnd = at + 2_900_000_000L;
        ledger.claimed("a", DUE, 1, at, at, DUE);
        ledger.claimed("a", DUE, 2, beforeItsEnd, beforeItsEnd, DUE);
        ledger.acked("a");
        assertBroken(stats(1, 1), "was claimed by two clients at a time");
    }

    @Test
    void messageThatComesAgainBehindItsLeaseOrASettlementIsFine() {
        claimed(DUE);
        claimed(DUE, 2, 3_100_000_000L, DUE);
        ledger.settling("a");
        claimed(DUE, 3, 3_200_000_000L, DUE);
        ledger.settling("a");
        ledger.acked("a");
        ledger.check(stats(1, 1));
    }

    @Test
    void claimWhoseAnswerWasReadLateIsFine() {
        long now = System.nanoTime();
        claimed(DUE, 2, 3_100_000_000L, DUE);
        ledger.claimed("a", DUE, 1, now, now + 4_000_000_000L, DUE);
        ledger.acked("a");
        ledger.check(stats(1, 1));
    }

    @Test
    void secondAckIsFound() {
        claimed(DUE);
        ledger.acked("a");
        ledger.acked("a");
        assertBroken(stats(1, 1), "was acked twice");
    }

    @Test
    void messageOfNobodyIsFound() {
        claimed(DUE);
        ledger.acked("a");
        ledger.claimed("b", DUE, 1, System.nanoTime(), System.nanoTime(), DUE);
        assertBroken(stats(1, 1), "was never scheduled");
    }

    @Test
    void lostMessageIsFound() {
        claimed(DUE);
        assertBroken(stats(1, 1), "scheduled, and never acked");
    }

    @Test
    void messageThatRedisLostIsFound() {
        claimed(DUE);
        ledger.acked("a");
        assertBroken(stats(2, 1), "unaccounted");
    }
}
