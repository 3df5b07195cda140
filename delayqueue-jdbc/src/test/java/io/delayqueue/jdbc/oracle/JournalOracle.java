package io.delayqueue.jdbc.oracle;

import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.oracle.Work.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Judges a run by the promises. It believes the committed work, the clock and the faults that struck. The library's word counts for one
 * thing only: that Redis refused a message since another one had its id; then that one must have been delivered.
 */
final class JournalOracle {

    private final Evidence evidence;
    private final Map<String, List<Note>> taken;
    private final Map<String, List<Note>> deliveries;
    private final Map<String, List<Note>> endings;
    private final List<String> lost = new ArrayList<>();
    private final List<String> uncommitted = new ArrayList<>();
    private final List<String> early = new ArrayList<>();
    private final List<String> superseded = new ArrayList<>();
    private final List<String> repeated = new ArrayList<>();
    private final List<String> misrecorded = new ArrayList<>();
    private final List<String> revived = new ArrayList<>();
    private int duplicates;

    private JournalOracle(Evidence evidence) {
        this.evidence = evidence;
        this.taken = byVersion(What.TAKEN);
        this.deliveries = byVersion(What.BEGUN);
        this.endings = byVersion(What.ENDED);
    }

    static Verdict judge(Evidence evidence) {
        return new JournalOracle(evidence).judge();
    }

    private Map<String, List<Note>> byVersion(What what) {
        return evidence.notes().stream()
                .filter(note -> note.is(what))
                .sorted(Comparator.comparingLong(Note::number).thenComparingLong(Note::at))
                .collect(Collectors.groupingBy(Note::version));
    }

    private Verdict judge() {
        Map<String, List<Work>> ids = evidence.work().stream()
                .sorted(Comparator.comparingLong(Work::order))
                .collect(Collectors.groupingBy(Work::id));
        ids.values().forEach(this::judge);
        Map<String, Work> committed = evidence.work().stream()
                .filter(work -> work.kind() == Kind.SCHEDULE)
                .collect(Collectors.toMap(Work::version, work -> work));
        deliveries.forEach((version, begun) -> {
            if (!committed.containsKey(version)) {
                uncommitted.add(begun.toString());
            }
            judgeRepetitions(committed.get(version), begun);
            judgeRevivals(version, begun);
        });
        List<String> failed = evidence.notes().stream()
                .filter(note -> note.is(What.FAILED) && !isExplained(note))
                .map(Note::toString)
                .toList();
        return new Verdict(
                lost,
                uncommitted,
                early,
                superseded,
                repeated,
                misrecorded,
                revived,
                failed,
                deliveries.size(),
                duplicates);
    }

    private void judge(List<Work> work) {
        for (int i = 0; i < work.size(); i++) {
            if (work.get(i).kind() == Kind.SCHEDULE) {
                judgeSchedule(work, i);
            }
        }
    }

    private void judgeSchedule(List<Work> work, int index) {
        Work schedule = work.get(index);
        List<Work> later = work.subList(index + 1, work.size());
        List<Note> begun = deliveries.getOrDefault(schedule.version(), List.of());
        boolean refused = evidence.refused().contains(schedule.version());
        if (refused && !begun.stream().allMatch(this::mayHaveBeenLost) && !mayBeRefusedInTheEnd(schedule, work)) {
            misrecorded.add(schedule + ": " + begun);
        }
        boolean last = later.stream().allMatch(change -> change.kind() == Kind.RESCHEDULE);
        if (last && schedule.promised() && !isHandled(schedule, work, refused)) {
            lost.add(schedule + (refused ? ", which Redis refused," : "") + " of " + work + ", handled: "
                    + endingsOf(work) + firstFaultAfter(schedule.noted()));
        }
        for (Note delivery : begun) {
            // a change that met an earlier attempt, of which a killed instance wrote nothing, changed nothing
            boolean wasPending = delivery.equals(begun.get(0))
                    && delivery.number() == 1
                    && !evidence.mayHaveBeenHeldUp(delivery, takenAt(delivery));
            judgeTime(schedule, later, delivery, wasPending);
            if (wasPending) {
                judgeOrder(delivery, later);
            }
        }
    }

    /** It was sent again when Redis knew nothing of it, and refused for another message of the id then. */
    private boolean mayBeRefusedInTheEnd(Work schedule, List<Work> work) {
        return evidence.mayBeSentAgain(schedule)
                && work.stream().filter(other -> other.kind() == Kind.SCHEDULE).count() > 1;
    }

    /** Redis forgot the message before its end or its row was recorded: it was sent again, and the answer to that counts. */
    private boolean mayHaveBeenLost(Note begun) {
        return evidence.cameBack(begun.at(), begun.at() + evidence.leaseMicros() + Evidence.SLACK_MICROS);
    }

    /**
     * A refused message was kept out by another one of its id. That one was handled then, or later; or it came back behind a loss, as its
     * ack was not recorded, or as the message was sent before what came back was removed. An idempotent listener is not called for it
     * again.
     */
    private boolean isHandled(Work schedule, List<Work> work, boolean refused) {
        // one that was handled may be refused when its row is sent again
        if (!refused || endings.containsKey(schedule.version())) {
            return endings.containsKey(schedule.version());
        }
        long answered = evidence.answeredBy(schedule);
        return work.stream()
                .filter(other ->
                        other.kind() == Kind.SCHEDULE && !other.version().equals(schedule.version()))
                .flatMap(other -> endings.getOrDefault(other.version(), List.of()).stream())
                .anyMatch(ended -> ended.at() >= schedule.noted() - Evidence.SLACK_MICROS
                        || evidence.struckWithoutLoss(ended.instance(), ended.at(), schedule.noted())
                        || evidence.mayHaveComeBack(ended, ended.at(), answered));
    }

    /** @param wasPending whether changes that were sent long before the delivery met the message before it was claimed */
    private void judgeTime(Work schedule, List<Work> later, Note delivery, boolean wasPending) {
        List<Work> reschedules = new ArrayList<>();
        for (Work change : later) {
            boolean took = change.kind() == Kind.SCHEDULE && !evidence.refused().contains(change.version());
            if (took && !evidence.mayBeAnsweredAnew(change)) {
                break;
            }
            if (change.kind() == Kind.RESCHEDULE) {
                reschedules.add(change);
            }
        }
        long due = Math.min(schedule.due(), earliest(reschedules));
        for (int i = 0; i < reschedules.size(); i++) {
            // claimed after the new due time was in Redis
            if (wasPending && isSentLongBefore(reschedules.get(i), delivery)) {
                due = earliest(reschedules.subList(i, reschedules.size()));
            }
        }
        long takenAt = takenAt(delivery);
        if (takenAt < due && !evidence.clockWasSetAhead(schedule.noted(), takenAt)) {
            early.add(delivery + ", due " + due + ", of " + schedule + " and " + later);
        }
    }

    private static long earliest(List<Work> changes) {
        return changes.stream().mapToLong(Work::due).min().orElse(Long.MAX_VALUE);
    }

    /** A first delivery that was claimed when a later change of the id had taken its message away. */
    private void judgeOrder(Note delivery, List<Work> later) {
        for (Work change : later) {
            boolean takesAway = change.kind() == Kind.CANCEL
                    || change.kind() == Kind.SCHEDULE && !evidence.refused().contains(change.version());
            if (takesAway && isSentLongBefore(change, delivery)) {
                superseded.add(delivery + " by " + change);
            }
        }
    }

    private boolean isSentLongBefore(Work change, Note delivery) {
        Long committed = evidence.returned().get(change.transaction());
        if (committed == null) {
            return false;
        }
        long sentBy = evidence.looks().sentBy(change.id(), committed);
        return sentBy < takenAt(delivery) - Evidence.SLACK_MICROS;
    }

    /** When the listener was called: an idempotent one begins behind its inbox, which may wait for a connection or another transaction. */
    private long takenAt(Note begun) {
        return taken.getOrDefault(begun.version(), List.of()).stream()
                .filter(note -> note.instance().equals(begun.instance()) && note.number() == begun.number())
                .mapToLong(Note::at)
                .filter(at -> at <= begun.at())
                .max()
                .orElse(begun.at());
    }

    private void judgeRepetitions(@Nullable Work schedule, List<Note> begun) {
        for (int i = 1; i < begun.size(); i++) {
            Note former = begun.get(i - 1);
            Note again = begun.get(i);
            long from = Math.min(former.at(), again.at()) - Evidence.SLACK_MICROS;
            long to = Math.max(former.at(), again.at());
            boolean explained = evidence.mayHaveComeBack(former, from, to)
                    || schedule != null && mayBeSentAgainBetween(schedule, from, to)
                    || again.number() > former.number() && evidence.struckWithoutLoss(former.instance(), from, to);
            if (explained) {
                duplicates++;
            } else {
                repeated.add(former + " and " + again + firstFaultAfter(former.at()));
            }
        }
    }

    private boolean mayBeSentAgainBetween(Work schedule, long from, long to) {
        return to > evidence.forgottenAfter(schedule)
                && from <= evidence.answeredBy(schedule)
                && evidence.mayBeSentAgain(schedule);
    }

    /** The journal knew its end before a fault: neither the fault nor a loss brings the message back. */
    private void judgeRevivals(String version, List<Note> begun) {
        long over = evidence.over().getOrDefault(version, Long.MAX_VALUE);
        begun.stream()
                .filter(delivery -> takenAt(delivery) > over)
                .filter(delivery -> !evidence.mayHaveBeenFrozen(delivery))
                .forEach(delivery -> revived.add(delivery + " of " + begun + ", over at " + over));
    }

    private boolean isExplained(Note failed) {
        return switch (failed.subject()) {
            case Note.CONFLICT -> true;
            case Note.FAILURE -> evidence.mayHaveFailed(failed);
            default -> false;
        };
    }

    private List<Note> endingsOf(List<Work> work) {
        return work.stream()
                .flatMap(each -> endings.getOrDefault(each.version(), List.of()).stream())
                .toList();
    }

    private String firstFaultAfter(long at) {
        @Nullable
        Strike next = evidence.strikes().stream()
                .filter(strike -> strike.ended() >= at)
                .findFirst()
                .orElse(null);
        return next == null ? ", behind all faults" : ", before " + next;
    }
}
