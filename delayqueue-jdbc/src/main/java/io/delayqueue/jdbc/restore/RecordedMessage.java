package io.delayqueue.jdbc.restore;

import io.delayqueue.jdbc.MessageStatus;

/**
 * A message as the journal has it, without its contents.
 *
 * @param id its id
 * @param generation tells it from other messages that have had its id
 * @param status its state
 * @param dueMicros due time in µs since the epoch
 * @param dueIsInstant whether that is by Redis' clock; else it is by the database's
 * @param createdMicros when it was recorded
 * @param updatedMicros when its row was changed last
 * @param stateMicros time of its state, by Redis' clock; 0 before the first event
 * @param finished whether it has ended, was refused, or is dead
 */
record RecordedMessage(
        String id,
        String generation,
        MessageStatus status,
        long dueMicros,
        boolean dueIsInstant,
        long createdMicros,
        long updatedMicros,
        long stateMicros,
        boolean finished) {

    /** Whether it has ended, so that nobody may get it again. */
    boolean hasEnded() {
        return status.hasEnded();
    }
}
