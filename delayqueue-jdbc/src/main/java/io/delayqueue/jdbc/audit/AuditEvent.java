package io.delayqueue.jdbc.audit;

import io.delayqueue.Delay;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.support.StorableText;
import org.jspecify.annotations.Nullable;

/**
 * A change of a message's state that this process made or saw.
 *
 * @param topic its topic
 * @param id its id; empty for all messages of a deleted topic
 * @param generation its generation; null if only the id is known
 * @param from the state before; null if unknown. The same as {@code to} for an event that leaves the message as it is
 * @param to the state after
 * @param nanos time by {@link System#nanoTime()}
 * @param calledNanos when the call began that made the change: a message that was scheduled later is perhaps not the one that it changed.
 *     Asked for only if the generation is null
 * @param sequence orders events of the same µs; unique among all instances, as far as events of one id in one µs go
 * @param beganNanos when the attempt began; null if there was none, or it is not known
 * @param attempt number of the attempt; null if there was none
 * @param error why; null if all went well
 * @param due the new due time from the event on; null if it did not change
 */
public record AuditEvent(
        String topic,
        String id,
        @Nullable String generation,
        @Nullable MessageStatus from,
        MessageStatus to,
        long nanos,
        long calledNanos,
        long sequence,
        @Nullable Long beganNanos,
        @Nullable Integer attempt,
        @Nullable String error,
        @Nullable Delay due) {

    /** Memory of an event beside its texts, rounded up. */
    private static final int OVERHEAD = 200;

    /** As many characters as the column takes. */
    private static final int LONGEST_ERROR = 2_000;

    /** One error that the database refuses must not spoil the events beside it. */
    public AuditEvent {
        error = error == null ? null : StorableText.cut(error, LONGEST_ERROR);
    }

    boolean concernsTopic() {
        return id.isEmpty();
    }

    boolean changesState() {
        return from != to || due != null;
    }

    /** About the memory that it takes. */
    int bytes() {
        return OVERHEAD + 2 * id.length() + (error == null ? 0 : 2 * error.length());
    }

    AuditEvent of(String newId, @Nullable String newGeneration, @Nullable MessageStatus newFrom) {
        return new AuditEvent(
                topic,
                newId,
                newGeneration,
                newFrom,
                to,
                nanos,
                calledNanos,
                sequence,
                beganNanos,
                attempt,
                error,
                due);
    }
}
