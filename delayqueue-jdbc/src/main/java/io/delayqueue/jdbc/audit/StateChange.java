package io.delayqueue.jdbc.audit;

import io.delayqueue.Delay;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.support.Micros;
import io.delayqueue.jdbc.support.StorableText;
import org.jspecify.annotations.Nullable;

/**
 * Changes that the events of one message in a batch make to its row.
 *
 * @param topic its topic
 * @param id its id
 * @param generation its generation
 * @param exact whether Redis named the generation; else it was found by id and time
 * @param status the state after the latest event
 * @param stateMicros time of that event by Redis' clock
 * @param sequence of that event
 * @param updated time of that event by the database's clock
 * @param sentUntil if Redis did not name the generation: messages that were recorded as sent later were not changed
 * @param attempts attempts made; null if they did not change
 * @param reason why; null if all went well
 * @param due the new due time: by the database's clock, or by Redis' if it is an instant; null if it did not change
 * @param instant whether {@code due} is an instant; null if it did not change
 */
record StateChange(
        String topic,
        String id,
        String generation,
        boolean exact,
        MessageStatus status,
        long stateMicros,
        long sequence,
        long updated,
        long sentUntil,
        @Nullable Integer attempts,
        @Nullable String reason,
        @Nullable Long due,
        @Nullable Boolean instant) {

    /** As many characters as the column takes. */
    private static final int LONGEST_REASON = 1_000;

    static StateChange of(TimedEvent timed, String generation, boolean exact, DatabaseTime now) {
        AuditEvent event = timed.event();
        long updated = now.at(event.nanos());
        Delay due = event.due();
        String error = event.error();
        return new StateChange(
                event.topic(),
                event.id(),
                generation,
                exact,
                event.to(),
                timed.micros(),
                event.sequence(),
                updated,
                now.before(event.calledNanos()),
                event.attempt(),
                error == null || event.to() == MessageStatus.ACKED ? null : StorableText.cut(error, LONGEST_REASON),
                due == null ? null : due instanceof Delay.At ? Micros.of(due) : updated + Micros.of(due),
                due == null ? null : due instanceof Delay.At);
    }

    /** This one and an earlier or later one of the same message, which is found in the same way. */
    StateChange and(StateChange other) {
        StateChange last = other.isAfter(this) ? other : this;
        StateChange first = last == this ? other : this;
        return new StateChange(
                topic,
                id,
                generation,
                last.exact,
                last.status,
                last.stateMicros,
                last.sequence,
                last.updated,
                last.sentUntil,
                last.attempts != null ? last.attempts : first.attempts,
                last.reason,
                last.due != null ? last.due : first.due,
                last.due != null ? last.instant : first.instant);
    }

    /** Nothing comes after an end, whatever the clocks of instances say. */
    private boolean isAfter(StateChange other) {
        if (status.hasEnded() != other.status.hasEnded()) {
            return status.hasEnded();
        }
        return stateMicros != other.stateMicros ? stateMicros > other.stateMicros : sequence > other.sequence;
    }
}
