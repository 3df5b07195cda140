package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.oracle.Work.Kind;
import org.junit.jupiter.api.Test;

/** Faults and losses excuse what they may have caused, and nothing else. */
class ExcusedVerdictTests extends JudgedRun {

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

        looks = new OutboxLooks();
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

        looks = new OutboxLooks();
        seen(remembered, "m");
        seen(remembered + 200);
        assertThat(judge().early()).isEmpty();
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

    @Test
    void aMessageIsDueEarlierByTheClockOnlyIfThatWasSetAheadMeanwhile() {
        scheduled("v1", 0, 500);
        delivered("a", "v1", 1, 200);
        strikes.add(new Strike(Strike.CLOCK_BACK, null, micros(100), micros(150)));
        strikes.add(new Strike(Strike.CLOCK_AHEAD, null, micros(-200), micros(-100)));
        strikes.add(new Strike(Strike.CLOCK_AHEAD, null, micros(300), micros(400)));
        assertThat(judge().early()).hasSize(1);

        strikes.add(new Strike(Strike.CLOCK_AHEAD, null, micros(100), micros(150)));
        assertThat(judge().early()).isEmpty();
    }

    @Test
    void redisForgetsWhatItAppliedWhenItsClockIsSetAhead() {
        rowOf("v1", 2_000);
        delivered("a", "v1", 1, 500);
        delivered("b", "v1", 1, 1_900);
        strikes.add(new Strike(Strike.CLOCK_BACK, null, micros(1_000), micros(1_100)));
        assertThat(judge().repeated()).hasSize(1);

        strikes.add(new Strike(Strike.CLOCK_AHEAD, null, micros(1_000), micros(1_100)));
        assertThat(judge().repeated()).isEmpty();
    }

    /** Scheduled, and in the outbox until a time, for a fault. */
    private void rowOf(String version, long until) {
        work.clear();
        strikes.clear();
        looks = new OutboxLooks();
        notes.removeIf(note -> note.is(What.RETURNED));
        change(Kind.SCHEDULE, version, 0, 500);
        returned(50);
        strikes.add(new Strike("database away", null, micros(400), micros(3_000)));
        seen(until - 100, "m");
        seen(until);
    }
}
