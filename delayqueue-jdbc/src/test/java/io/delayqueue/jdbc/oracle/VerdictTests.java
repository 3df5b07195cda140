package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.oracle.Work.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** An oracle that sees nothing wrong must be one that could. Times are ms here. */
class VerdictTests {

    private final List<Work> work = new ArrayList<>();
    private final List<Note> notes = new ArrayList<>();
    private final List<Strike> strikes = new ArrayList<>();
    private final Set<String> refused = new HashSet<>();
    private final Map<String, Long> over = new HashMap<>();
    private Sightings sightings = new Sightings();

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
    void aMessageMayHaveBeenRescheduledInARedisThatForgotThatItRefusedAnotherOne() {
        scheduled("v1", 0, 900);
        scheduled("v2", 100, 500);
        change(Kind.RESCHEDULE, "-", 200, 300);
        returned(250);
        seen(300);
        delivered("a", "v1", 1, 400);
        assertThat(judge().early()).hasSize(1);

        strikes.add(new Strike("Redis killed", null, micros(500), micros(600)));
        assertThat(judge().early()).hasSize(1);

        strikes.add(new Strike(Strike.EMPTIED, null, micros(500), micros(600)));
        assertThat(judge().early()).isEmpty();
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
    void theSameAttemptTwiceHasNoCause() {
        scheduled("v1", 0, 500);
        delivered("a", "v1", 1, 500);
        delivered("b", "v1", 1, 900);
        strikes.add(new Strike("frozen", "a", micros(510), micros(800)));

        assertThat(judge().repeated()).hasSize(1);
    }

    /** A fault kept its row in the outbox. */
    @Test
    void aRowThatIsReadAgainWhenRedisRemembersItNoLongerIsSentAgain() {
        long remembered = Run.REMEMBERED.toMillis();
        rowOf("v1", remembered + 100);
        delivered("a", "v1", 1, 500);
        delivered("b", "v1", 1, remembered - 100);
        assertThat(judge().repeated()).as("Redis remembered it").hasSize(1);

        notes.removeIf(note -> note.at() == micros(remembered - 100));
        delivered("b", "v1", 1, remembered + 200);
        assertThat(judge().repeated()).isEmpty();

        strikes.clear();
        assertThat(judge().repeated()).as("no fault").hasSize(1);
        strikes.add(new Strike("killed", "b", micros(-20_000), Long.MAX_VALUE));
        assertThat(judge().repeated()).as("killed long ago").hasSize(1);

        rowOf("v1", remembered + 100);
        notes.removeIf(note -> note.is(What.BEGUN));
        delivered("a", "v1", 1, 30_000);
        delivered("b", "v1", 1, 40_000);
        assertThat(judge().repeated()).as("long after the row was gone").hasSize(1);

        rowOf("v1", remembered - 100);
        assertThat(judge().repeated()).as("the row was gone by then").hasSize(1);
    }

    /** The instance was killed before it could tell. */
    @Test
    void aRowWhoseCommitNobodyToldOfIsSentAgainIfItWasSeenUntilRedisRememberedItNoLonger() {
        long remembered = Run.REMEMBERED.toMillis();
        rowOf("v1", remembered + 100);
        notes.removeIf(note -> note.is(What.RETURNED));
        delivered("a", "v1", 1, 500);
        delivered("b", "v1", 1, remembered + 200);
        assertThat(judge().repeated()).isEmpty();

        sightings = new Sightings();
        assertThat(judge().repeated()).as("nobody looked").isEmpty();

        seen(100, "m");
        seen(remembered - 500);
        assertThat(judge().repeated()).as("it was gone").hasSize(1);
    }

    @Test
    void aRowThatIsSentAgainMayBeRefusedOnlyThen() {
        rowOf("v1", Run.REMEMBERED.toMillis() - 100);
        delivered("a", "v1", 1, 500);
        refused.add("v1");
        assertThat(judge().misrecorded()).as("Redis remembered it").hasSize(1);

        rowOf("v1", Run.REMEMBERED.toMillis() + 100);
        assertThat(judge().misrecorded()).as("for which other message?").hasSize(1);

        change(Kind.SCHEDULE, "v2", 100, 500);
        delivered("a", "v2", 1, 600);
        judge().requireSound();
    }

    @Test
    void aMessageMayHaveBeenRescheduledThoughTheSecondAnswerSaysThatItHadGivenWay() {
        long remembered = Run.REMEMBERED.toMillis();
        rowOf("v1", remembered - 100);
        change(Kind.SCHEDULE, "v2", 100, 500);
        change(Kind.RESCHEDULE, "-", 200, 300);
        delivered("a", "v1", 1, 400);
        assertThat(judge().early()).as("Redis remembered it").hasSize(1);

        sightings = new Sightings();
        seen(remembered, "m");
        seen(remembered + 200);
        assertThat(judge().early()).isEmpty();
    }

    /** Scheduled, and in the outbox until a time, for a fault. */
    private void rowOf(String version, long until) {
        work.clear();
        strikes.clear();
        sightings = new Sightings();
        notes.removeIf(note -> note.is(What.RETURNED));
        change(Kind.SCHEDULE, version, 0, 500);
        returned(50);
        strikes.add(new Strike("database away", null, micros(400), micros(3_000)));
        seen(until - 100, "m");
        seen(until);
    }

    @Test
    void aMessageThatCameBackBeginsAgainWithItsFirstAttempt() {
        scheduled("v1", 0, 500);
        delivered("a", "v1", 1, 500);
        delivered("b", "v1", 1, 5_000);
        strikes.add(new Strike(Strike.EMPTIED, null, micros(510), micros(3_000)));

        assertThat(judge().repeated()).isEmpty();
        assertThat(judge().duplicates()).isEqualTo(1);
    }

    @Test
    void aMessageWhoseAckHadLongBeenRecordedMustNotComeBack() {
        scheduled("v1", 0, 500);
        returned(50);
        seen(100);
        delivered("a", "v1", 1, 500);
        delivered("b", "v1", 2, 25_000);
        strikes.add(new Strike(Strike.FAILED_OVER, null, micros(20_000), micros(24_000)));
        assertThat(judge().repeated()).as("its ack had 15 s").hasSize(1);

        strikes.add(new Strike("killed", "b", micros(600), Long.MAX_VALUE));
        assertThat(judge().repeated()).hasSize(1);

        strikes.add(new Strike("killed", "a", micros(600), Long.MAX_VALUE));
        assertThat(judge().repeated()).isEmpty();
    }

    @Test
    void revivedIsWhatTheJournalKnewToBeOver() {
        scheduled("v1", 0, 500);
        delivered("a", "v1", 1, 500);
        over.put("v1", micros(800));
        assertThat(judge().revived()).isEmpty();

        delivered("b", "v1", 1, 5_000);
        strikes.add(new Strike(Strike.RESTARTED_OLDER, null, micros(1_000), micros(3_000)));
        assertThat(judge().revived()).hasSize(1);
        assertThat(judge().repeated()).isEmpty();

        strikes.add(new Strike(Strike.UNANSWERED, "b", micros(1_000), micros(4_900)));
        assertThat(judge().revived()).as("Redis was away").hasSize(1);

        strikes.add(new Strike("paused", "b", micros(1_000), micros(4_900)));
        assertThat(judge().revived()).isEmpty();
    }

    @Test
    void refusedForAMessageThatALossCannotHaveBroughtBackIsLost() {
        scheduled("v1", 0, 500);
        delivered("a", "v1", 1, 500);
        scheduled("v2", 31_000, 500);
        refused.add("v2");
        strikes.add(new Strike(Strike.RESTARTED_OLDER, null, micros(30_000), micros(34_000)));
        assertThat(judge().lost()).as("the ack had half a minute").hasSize(1);

        strikes.add(new Strike(Strike.RESTARTED_OLDER, null, micros(10_000), micros(12_000)));
        assertThat(judge().lost()).isEmpty();
    }

    @Test
    void aMessageThatWasStillUnsentAtALossMayBeRefusedForOneThatCameBack() {
        scheduled("v1", 0, 500);
        delivered("a", "v1", 1, 500);
        scheduled("v2", 9_500, 500);
        refused.add("v2");
        returned(9_600);
        strikes.add(new Strike(Strike.FAILED_OVER, null, micros(10_000), micros(14_000)));
        assertThat(judge().lost()).as("nobody knows when it was sent").isEmpty();

        seen(9_700, "m");
        seen(10_100);
        assertThat(judge().lost()).as("sent meanwhile").isEmpty();
    }

    @Test
    void aMessageThatWasRefusedBeforeALossWasKeptOutByNoneThatCameBack() {
        scheduled("v1", 0, 500);
        delivered("a", "v1", 1, 500);
        scheduled("v2", 9_500, 500);
        refused.add("v2");
        returned(9_600);
        seen(9_700);
        strikes.add(new Strike(Strike.FAILED_OVER, null, micros(10_000), micros(14_000)));

        assertThat(judge().lost()).hasSize(1);
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

    @Test
    void aFurtherAttemptNeedsAFaultOfTheFormerInstance() {
        scheduled("v1", 0, 500);
        delivered("a", "v1", 1, 500);
        delivered("b", "v1", 2, 3_000);
        assertThat(judge().repeated()).hasSize(1);

        strikes.add(new Strike("frozen", "b", micros(510), micros(2_800)));
        assertThat(judge().repeated()).hasSize(1);

        strikes.add(new Strike("killed", "a", micros(510), Long.MAX_VALUE));
        assertThat(judge().repeated()).isEmpty();
        assertThat(judge().duplicates()).isEqualTo(1);
    }

    private Verdict judge() {
        return JournalOracle.judge(Evidence.of(work, notes, refused, over, strikes, sightings, micros(1_000)));
    }

    private void scheduled(String version, long at, long delay) {
        change(Kind.SCHEDULE, version, at, at + delay);
    }

    /** All by one transaction. */
    private void change(Kind kind, String version, long at, long due) {
        work.add(new Work(work.size() + 1, "tx", "m", kind, version, micros(at), micros(due), true));
    }

    private void returned(long at) {
        notes.add(new Note("a", What.RETURNED, "tx", "-", 0, micros(at)));
    }

    private void seen(long at, String... ids) {
        sightings.add(micros(at), Set.of(ids));
    }

    private void delivered(String instance, String version, int attempt, long at) {
        note(instance, What.BEGUN, version, attempt, at);
        note(instance, What.ENDED, version, attempt, at + 10);
    }

    private void failed(String kind, long at) {
        notes.add(new Note("a", What.FAILED, kind, "SomeException", 0, micros(at)));
    }

    private void note(String instance, What what, String version, int attempt, long at) {
        notes.add(new Note(instance, what, "m", version, attempt, micros(at)));
    }

    private static long micros(long millis) {
        return millis * 1_000;
    }
}
