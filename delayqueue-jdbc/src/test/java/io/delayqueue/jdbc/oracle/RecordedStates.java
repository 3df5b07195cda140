package io.delayqueue.jdbc.oracle;

import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.oracle.Work.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares the states that the audit recorded with what happened. An end may be missing if its instance was killed before it had recorded
 * the end, or if Redis did not answer the ack.
 *
 * @param evidence what happened
 * @param states the recorded state of each version
 */
record RecordedStates(Evidence evidence, Map<String, String> states) {

    private static final Set<String> UNFINISHED = Set.of("OUTBOX", "BLOCKED", "SCHEDULED", "IN_FLIGHT");

    /** Versions whose recorded state is wrong, and why. */
    List<String> wrong() {
        Map<String, List<Note>> begun = notes(What.BEGUN);
        Map<String, List<Note>> ended = notes(What.ENDED);
        List<String> wrong = new ArrayList<>();
        states.forEach((version, state) -> {
            if (state.equals("ACKED") && !begun.containsKey(version)) {
                wrong.add(version + " is ACKED and was never handled");
            }
            if (UNFINISHED.contains(state) && !ended.containsKey(version) && !mayBeUnrecorded(begun.get(version))) {
                wrong.add(version + " is " + state + " at the end, of " + workOfItsId(version));
            }
        });
        ended.forEach((version, notes) -> {
            String state = states.getOrDefault(version, "not recorded");
            if (!state.equals("ACKED")
                    && !isTakenAway(version, state, notes)
                    && !mayBeRefusedInTheEnd(version, state)
                    && !mayBeUnrecorded(notes)) {
                wrong.add(version + " is " + state + " and was handled: " + notes);
            }
        });
        return wrong;
    }

    /** Versions whose end can't be missing. */
    long sureEnds() {
        return notes(What.ENDED).values().stream()
                .filter(notes -> !mayBeUnrecorded(notes))
                .count();
    }

    private List<Work> workOfItsId(String version) {
        return evidence.work().stream()
                .filter(work -> work.version().equals(version))
                .flatMap(schedule ->
                        evidence.work().stream().filter(work -> work.id().equals(schedule.id())))
                .toList();
    }

    private Map<String, List<Note>> notes(What what) {
        return evidence.notes().stream().filter(note -> note.is(what)).collect(Collectors.groupingBy(Note::version));
    }

    private boolean mayBeUnrecorded(@Nullable Collection<Note> notes) {
        return notes != null && notes.stream().anyMatch(evidence::mayBeUnrecorded);
    }

    /** It was sent again when Redis knew nothing of it, and refused then. */
    private boolean mayBeRefusedInTheEnd(String version, String state) {
        return (state.equals("KEPT") || state.equals("REJECTED"))
                && evidence.work().stream()
                        .anyMatch(work -> work.version().equals(version) && evidence.mayBeSentAgain(work));
    }

    /**
     * A later change of the id took the message away while it was handled: its end is that of the change. One that was made behind the
     * ack can't.
     */
    private boolean isTakenAway(String version, String state, List<Note> handled) {
        Kind kind = state.equals("CANCELLED") ? Kind.CANCEL : Kind.SCHEDULE;
        long latest = handled.stream().mapToLong(Note::at).max().orElse(0) + Evidence.SLACK_MICROS;
        return (state.equals("CANCELLED") || state.equals("REPLACED"))
                && evidence.work().stream()
                        .filter(work -> work.version().equals(version))
                        .anyMatch(schedule -> evidence.work().stream()
                                .anyMatch(other -> other.id().equals(schedule.id())
                                        && other.order() > schedule.order()
                                        && other.kind() == kind
                                        && (other.noted() <= latest || evidence.mayBeSentAgain(schedule))
                                        && !evidence.refused().contains(other.version())));
    }
}
