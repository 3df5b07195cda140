package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.oracle.Work.Kind;
import org.junit.jupiter.api.Test;

/** An oracle that sees nothing wrong must be one that could. */
class VerdictTests extends JudgedRun {

    @Test
    void messageHandledOnceIsSound() {
        scheduled("v1", 0, 500);
        delivered("a", "v1", 1, 500);

        Verdict verdict = judge();

        verdict.requireSound();
        assertThat(verdict.delivered()).isEqualTo(1);
        assertThat(verdict.duplicates()).isZero();
    }

    @Test
    void committedAndNeverHandledToTheEndIsLost() {
        scheduled("v1", 0, 500);
        note("a", What.BEGUN, "v1", 1, 600);

        assertThat(judge().lost()).hasSize(1);
    }

    @Test
    void aCallThatDidNotReturnPromisedNothing() {
        work.add(new Work(0, "a", "m", Kind.SCHEDULE, "v1", 0, micros(500), false));

        judge().requireSound();
    }

    @Test
    void cancelledOrReplacedNeedsNoDelivery() {
        scheduled("v1", 0, 500);
        change(Kind.CANCEL, "-", 100, 0);
        judge().requireSound();

        scheduled("v2", 200, 500);
        assertThat(judge().lost()).hasSize(1);
        delivered("a", "v2", 1, 700);
        judge().requireSound();
    }

    @Test
    void rescheduledMustBeHandled() {
        scheduled("v1", 0, 500);
        change(Kind.RESCHEDULE, "-", 100, 2_000);

        assertThat(judge().lost()).hasSize(1);
    }

    @Test
    void refusedMustHaveBeenKeptOutByAnotherThatWasHandledThenOrLater() {
        scheduled("v1", 0, 500);
        scheduled("v2", 5_000, 500);
        refused.add("v2");
        assertThat(judge().lost()).hasSize(1);

        delivered("a", "v1", 1, 600);
        assertThat(judge().lost()).as("handled long before").hasSize(1);

        delivered("a", "v1", 2, 6_000);
        assertThat(judge().lost()).isEmpty();
    }

    @Test
    void deliveredAlthoughRefusedIsMisrecorded() {
        scheduled("v1", 0, 500);
        delivered("a", "v1", 1, 500);
        refused.add("v1");

        assertThat(judge().misrecorded()).hasSize(1);
    }

    @Test
    void deliveredAndNotCommittedIsSeen() {
        delivered("a", "v1", 1, 500);

        assertThat(judge().uncommitted()).hasSize(1);
    }

    @Test
    void earlyIsWhatBeganBeforeTheEarliestDueTimeItEverHad() {
        scheduled("v1", 0, 500);
        delivered("a", "v1", 1, 499);
        assertThat(judge().early()).hasSize(1);

        change(Kind.RESCHEDULE, "-", 100, 400);
        assertThat(judge().early()).isEmpty();
    }

    @Test
    void earlyIsWhatWasClaimedBeforeTheNewDueTimeThatRedisHad() {
        scheduled("v1", 0, 500);
        change(Kind.RESCHEDULE, "-", 100, 9_000);
        returned(150);
        seen(200);
        delivered("a", "v1", 1, 1_190);
        assertThat(judge().early()).as("may have been claimed before").isEmpty();

        notes.removeIf(note -> note.is(What.BEGUN, What.ENDED));
        delivered("a", "v1", 1, 1_300);
        assertThat(judge().early()).hasSize(1);

        strikes.add(new Strike("frozen", "a", micros(400), micros(1_250)));
        assertThat(judge().early()).isEmpty();
    }

    @Test
    void aNewDueTimeChangesNothingAboutAMessageThatIsInFlight() {
        scheduled("v1", 0, 500);
        delivered("a", "v1", 1, 600);
        change(Kind.RESCHEDULE, "-", 605, 9_000);
        returned(650);
        seen(700);
        delivered("b", "v1", 2, 5_000);
        assertThat(judge().early()).isEmpty();

        notes.removeIf(note -> note.number() == 1);
        assertThat(judge().early()).as("a killed instance had claimed it").isEmpty();

        notes.removeIf(note -> note.is(What.BEGUN, What.ENDED));
        delivered("b", "v1", 1, 5_000);
        assertThat(judge().early()).hasSize(1);
    }

    @Test
    void supersededIsWhatWasClaimedWhenItsCancelWasInRedis() {
        scheduled("v1", 0, 500);
        change(Kind.CANCEL, "-", 100, 0);
        delivered("a", "v1", 1, 5_000);
        returned(150);
        assertThat(judge().superseded()).as("nobody saw the outbox").isEmpty();

        seen(200, "m");
        assertThat(judge().superseded()).as("still in the outbox").isEmpty();

        seen(300);
        assertThat(judge().superseded()).hasSize(1);

        strikes.add(new Strike("frozen", "b", micros(4_000), micros(4_500)));
        assertThat(judge().superseded()).as("another one was frozen").hasSize(1);

        strikes.add(new Strike("frozen", "a", micros(4_000), micros(4_500)));
        assertThat(judge().superseded()).isEmpty();
    }

    /** Its inbox may wait for a connection, or for another transaction. */
    @Test
    void whatCountsIsWhenTheListenerWasCalled() {
        scheduled("v1", 0, 500);
        change(Kind.CANCEL, "-", 600, 0);
        returned(650);
        seen(700);
        over.put("v1", micros(1_650));
        delivered("a", "v1", 1, 5_000);
        note("a", What.TAKEN, "v1", 1, 1_600);
        assertThat(judge().superseded()).isEmpty();
        assertThat(judge().revived()).isEmpty();

        note("a", What.TAKEN, "v1", 1, 1_800);
        assertThat(judge().superseded()).hasSize(1);
        assertThat(judge().revived()).hasSize(1);

        notes.removeIf(note -> note.is(What.TAKEN));
        note("b", What.TAKEN, "v1", 1, 1_600);
        assertThat(judge().superseded()).as("another one was called").hasSize(1);

        note("a", What.TAKEN, "v1", 1, 499);
        assertThat(judge().early()).hasSize(1);
    }

    @Test
    void aCancelChangesNothingAboutAMessageThatAKilledInstanceHadClaimed() {
        scheduled("v1", 0, 500);
        change(Kind.CANCEL, "-", 600, 0);
        returned(610);
        seen(700);
        delivered("a", "v1", 2, 5_000);

        assertThat(judge().superseded()).isEmpty();
    }

    @Test
    void supersededIsWhatALaterScheduleHadReplaced() {
        scheduled("v1", 0, 500);
        scheduled("v2", 100, 500);
        returned(150);
        seen(200);
        delivered("a", "v1", 1, 5_000);
        delivered("a", "v2", 1, 5_100);
        assertThat(judge().superseded()).hasSize(1);

        refused.add("v2");
        assertThat(judge().superseded()).isEmpty();
    }

    @Test
    void aCallFailsForAnotherTransactionOrAFault() {
        failed(Note.CONFLICT, 1_000);
        assertThat(judge().failed()).isEmpty();

        failed(Note.FAILURE, 1_000);
        assertThat(judge().failed()).hasSize(1);
        strikes.add(new Strike("database away", null, micros(1_500), micros(2_000)));
        assertThat(judge().failed()).as("before the fault").hasSize(1);
        strikes.add(new Strike("killed", "b", micros(500), Long.MAX_VALUE));
        assertThat(judge().failed()).isEmpty();
        failed(Note.FAILURE, 20_000);
        assertThat(judge().failed()).as("long after the faults").hasSize(1);

        failed(Note.UNEXPECTED, 1_000);
        assertThat(judge().failed()).hasSize(2);
    }
}
