package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.oracle.Work.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A comparison that finds nothing wrong must be one that could. */
class RecordedStatesTests {

    private static final long SECOND = 1_000_000;

    private final List<Work> work = new ArrayList<>();
    private final List<Note> notes = new ArrayList<>();
    private final Set<String> refused = new HashSet<>();
    private final List<Strike> strikes = new ArrayList<>();
    private OutboxLooks looks = new OutboxLooks();

    @Test
    void aHandledMessageIsAcked() {
        handled("v1");

        assertThat(wrong("ACKED")).isEmpty();
        assertThat(wrong("SCHEDULED")).hasSize(1);
        assertThat(wrong("CANCELLED")).hasSize(1);
    }

    @Test
    void aMessageThatWasNotHandledIsNotAcked() {
        assertThat(wrong("ACKED")).hasSize(1);
        assertThat(wrong("SCHEDULED")).hasSize(1);
        assertThat(wrong("CANCELLED")).isEmpty();
    }

    @Test
    void anEndMayBeMissingIfItsInstanceWasKilledAndNotIfTheDatabaseWasAway() {
        handled("v1");
        strikes.add(new Strike("database away", null, 0, 20 * SECOND));
        strikes.add(new Strike("killed", "b", 10 * SECOND, Long.MAX_VALUE));
        assertThat(wrong("SCHEDULED")).hasSize(1);

        strikes.add(new Strike("killed", "a", 10 * SECOND, Long.MAX_VALUE));
        assertThat(wrong("SCHEDULED")).isEmpty();
    }

    @Test
    void aLaterChangeMayTakeAMessageAwayWhileItIsHandled() {
        work.add(change(1, Kind.SCHEDULE, "v1"));
        handled("v1");
        work.add(change(2, Kind.RESCHEDULE, "-"));
        assertThat(wrong("REPLACED")).hasSize(1);

        work.add(change(3, Kind.CANCEL, "-"));
        assertThat(wrong("REPLACED")).hasSize(1);
        assertThat(wrong("CANCELLED")).isEmpty();

        work.add(change(4, Kind.SCHEDULE, "v2"));
        assertThat(wrong("REPLACED")).isEmpty();
        refused.add("v2");
        assertThat(wrong("REPLACED")).hasSize(1);
    }

    @Test
    void aChangeThatWasMadeLongBehindTheAckTakesNothingAway() {
        work.add(change(1, Kind.SCHEDULE, "v1"));
        handled("v1");
        work.add(new Work(2, "tx", "m", Kind.SCHEDULE, "v2", 12 * SECOND, 0, true));

        assertThat(wrong("REPLACED")).hasSize(1);
        assertThat(wrong("ACKED")).isEmpty();
    }

    /** A fault kept its row in the outbox. */
    @Test
    void aMessageMayBeRefusedWhenItsRowIsSentAgain() {
        long remembered = Run.REMEMBERED.toSeconds();
        work.add(change(1, Kind.SCHEDULE, "v1"));
        notes.add(new Note("a", What.RETURNED, "tx", "-", 0, SECOND));
        strikes.add(new Strike("database away", null, 2 * SECOND, 3 * SECOND));
        handled("v1");
        looks.add(remembered * SECOND, Set.of());
        assertThat(wrong("KEPT")).hasSize(1);

        looks = new OutboxLooks();
        looks.add(remembered * SECOND, Set.of("m"));
        looks.add((remembered + 1) * SECOND, Set.of());
        assertThat(wrong("KEPT")).isEmpty();
        assertThat(wrong("SCHEDULED")).hasSize(1);
    }

    private List<String> wrong(String state) {
        Evidence evidence = Evidence.of(work, notes, refused, Map.of(), strikes, looks, SECOND);
        return new RecordedStates(evidence, Map.of("v1", state)).wrong();
    }

    private void handled(String version) {
        notes.add(new Note("a", What.BEGUN, "m", version, 1, 10 * SECOND));
        notes.add(new Note("a", What.ENDED, "m", version, 1, 10 * SECOND));
    }

    private static Work change(long order, Kind kind, String version) {
        return new Work(order, "tx", "m", kind, version, 0, 0, true);
    }
}
