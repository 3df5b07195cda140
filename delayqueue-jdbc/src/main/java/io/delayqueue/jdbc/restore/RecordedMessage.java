package io.delayqueue.jdbc.restore;

/**
 * A message as the journal has it, without its contents.
 *
 * @param id its id
 * @param generation which use of the id
 * @param status named as in the table
 * @param dueMicros due time in µs since the epoch
 * @param dueIsInstant whether that is by Redis' clock; else it is by the database's
 * @param createdMicros when it was recorded
 * @param updatedMicros when its row was changed last
 * @param finished whether it has ended, or is dead
 */
record RecordedMessage(
        String id,
        String generation,
        String status,
        long dueMicros,
        boolean dueIsInstant,
        long createdMicros,
        long updatedMicros,
        boolean finished) {

    static final String DEAD = "DEAD";

    /** Whether Redis never took it: another message had its id. */
    boolean wasRefused() {
        return status.equals("REJECTED") || status.equals("KEPT");
    }

    /** Whether it ended, so that nobody shall get it any more. */
    boolean hasEnded() {
        return finished && !wasRefused() && !status.equals(DEAD);
    }
}
