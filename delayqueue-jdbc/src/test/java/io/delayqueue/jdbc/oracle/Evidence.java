package io.delayqueue.jdbc.oracle;

import io.delayqueue.jdbc.oracle.Note.What;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The facts that are known of a run.
 *
 * @param work committed changes, and those that were made without a transaction
 * @param notes what the instances wrote
 * @param returned when transactions had returned, and calls without one, by their ids: µs since the epoch
 * @param refused versions that the journal says Redis refused, as another message had their id
 * @param over when the end of a version was seen in the journal first, before a fault: µs since the epoch
 * @param strikes the faults
 * @param looks what was in the outbox
 * @param leaseMicros lease of messages
 */
record Evidence(
        Collection<Work> work,
        Collection<Note> notes,
        Map<String, Long> returned,
        Set<String> refused,
        Map<String, Long> over,
        List<Strike> strikes,
        OutboxLooks looks,
        long leaseMicros) {

    /** Between a claim and the call of its listener, or between the handler's end and the ack, while nothing is wrong. */
    static final long SLACK_MICROS = 1_000_000;

    /** The audit of an instance may have to wait meanwhile: for a frozen one that holds rows, or for the database. */
    static final long LATEST_RECORD_MICROS = 15_000_000;

    /** A call may wait for a connection, a lock, and Redis. */
    private static final long LONGEST_CALL_MICROS = 10_000_000;

    /** A row that stays until Redis remembers its change no longer is seen many times in that. */
    private static final long SEEN_MICROS = Run.REMEMBERED.toNanos() / 1_000 / 2;

    /** A database that is away delays what is recorded, and loses nothing. */
    private static final String HARMLESS = "database";

    static Evidence of(
            Collection<Work> work,
            Collection<Note> notes,
            Set<String> refused,
            Map<String, Long> over,
            List<Strike> strikes,
            OutboxLooks looks,
            long leaseMicros) {
        Map<String, Long> returned = notes.stream()
                .filter(note -> note.is(What.RETURNED, What.PROMISED))
                .collect(Collectors.toMap(Note::subject, Note::at));
        return new Evidence(work, notes, returned, refused, over, strikes, looks, leaseMicros);
    }

    boolean struck(String instance, long from, long to) {
        return strikes.stream().anyMatch(strike -> strike.struck(instance, from, to));
    }

    /** Whether a fault struck that made Redis lose nothing. */
    boolean struckWithoutLoss(String instance, long from, long to) {
        return withoutLosses().anyMatch(strike -> strike.struck(instance, from, to));
    }

    private Stream<Strike> withoutLosses() {
        return strikes.stream().filter(Predicate.not(Strike::isLoss));
    }

    /** Whether messages came back that Redis had lost. */
    boolean cameBack(long from, long to) {
        return strikes.stream().filter(Strike::isLoss).anyMatch(strike -> strike.struck("", from, to));
    }

    /**
     * Whether a message may have come back, behind a loss, that was handled. Its ack was not recorded at the loss, as it had not the time
     * for it, or for another fault.
     */
    boolean mayHaveComeBack(Note handled, long from, long to) {
        return strikes.stream()
                .filter(Strike::isLoss)
                .filter(strike -> strike.struck("", from, to))
                .anyMatch(strike -> handled.at() >= strike.begun() - LATEST_RECORD_MICROS
                        || mayBeUnrecorded(handled, withoutLosses()));
    }

    /**
     * Whether a second answer of Redis to a change may be the one that was recorded. A loss took the first one with it, or a fault kept the
     * row in the outbox until Redis remembered the change no longer.
     */
    boolean mayBeAnsweredAnew(Work change) {
        return cameBack(change.noted(), change.noted() + LATEST_RECORD_MICROS) || mayBeSentAgain(change);
    }

    /**
     * Whether a fault kept the row of a change in the outbox until Redis remembered the change no longer. Then a message comes back that
     * was handled, unless its ack was recorded.
     */
    boolean mayBeSentAgain(Work change) {
        long answered = answeredBy(change);
        return answered > forgottenAfter(change)
                && mayHaveStayed(change)
                && withoutLosses()
                        .anyMatch(strike -> strike.begun() <= answered && harmedUntil(strike) >= change.noted());
    }

    /** If nobody knows when a change was committed, its row must have been seen while Redis remembered the change. */
    private boolean mayHaveStayed(Work change) {
        long forgotten = forgottenAfter(change);
        return committed(change) != null || looks.mayHaveHad(change.id(), forgotten - SEEN_MICROS, forgotten);
    }

    private @Nullable Long committed(Work change) {
        return returned.get(change.order() == 0 ? change.id() : change.transaction());
    }

    /** A dead instance holds up nobody for longer than its locks and calls last. */
    private static long harmedUntil(Strike strike) {
        return strike.isDeadly() ? strike.begun() + LONGEST_CALL_MICROS : strike.ended();
    }

    /** Until when Redis remembers a change at least. */
    long forgottenAfter(Work change) {
        long remembered = change.noted() + Run.REMEMBERED.toNanos() / 1_000;
        return clockSetAhead()
                .filter(strike -> strike.ended() >= change.noted())
                .mapToLong(Strike::begun)
                .reduce(remembered, Math::min);
    }

    /** Whether Redis' clock was set ahead meanwhile: by that clock, what was scheduled before is due. */
    boolean clockWasSetAhead(long from, long to) {
        return clockSetAhead().anyMatch(strike -> strike.struck("", from, to));
    }

    private Stream<Strike> clockSetAhead() {
        return strikes.stream().filter(strike -> strike.fault().equals(Strike.CLOCK_AHEAD));
    }

    /** When the answer to a change was recorded at the latest: its row is gone. */
    long answeredBy(Work change) {
        Long committed = committed(change);
        long latest = change.noted() + LATEST_RECORD_MICROS;
        return committed == null ? latest : Math.min(latest, looks.sentBy(change.id(), committed));
    }

    /**
     * Whether a delivery may have been claimed long before its listener was called.
     *
     * @param takenAt time of that call
     */
    boolean mayHaveBeenHeldUp(Note begun, long takenAt) {
        return struck(begun.instance(), takenAt - leaseMicros - SLACK_MICROS, begun.at());
    }

    /** Whether a delivery's process, or the machine, may have stood still between claim and beginning. */
    boolean mayHaveBeenFrozen(Note begun) {
        return withoutLosses()
                .filter(strike -> !strike.fault().equals(Strike.UNANSWERED))
                .anyMatch(
                        strike -> strike.struck(begun.instance(), begun.at() - leaseMicros - SLACK_MICROS, begun.at()));
    }

    /** Whether the end of a delivery may be missing in the journal, as Redis did not answer the ack, or its instance died. */
    boolean mayBeUnrecorded(Note delivery) {
        return mayBeUnrecorded(delivery, strikes.stream());
    }

    private boolean mayBeUnrecorded(Note delivery, Stream<Strike> among) {
        long from = delivery.at() - SLACK_MICROS;
        long acked = delivery.at() + leaseMicros + SLACK_MICROS;
        return among.filter(strike -> !strike.fault().startsWith(HARMLESS))
                .anyMatch(strike -> strike.struck(
                        delivery.instance(), from, strike.isDeadly() ? delivery.at() + LATEST_RECORD_MICROS : acked));
    }

    /** Whether a fault explains that a call failed: of whichever instance, as others wait for its locks. */
    boolean mayHaveFailed(Note failed) {
        return strikes.stream().anyMatch(strike -> {
            long ended = strike.isDeadly() ? strike.begun() : strike.ended();
            return strike.begun() <= failed.at() && ended >= failed.at() - LONGEST_CALL_MICROS;
        });
    }
}
