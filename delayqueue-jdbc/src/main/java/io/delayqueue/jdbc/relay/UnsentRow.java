package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.outbox.MessageId;

/**
 * A row of the outbox as it was read.
 *
 * @param key topic and id
 * @param operations the changes as text, in their order
 * @param changes number of the changes
 * @param failures number of times that Redis refused the first change
 * @param sendAtMicros the time from which the row was free, as it was read; until then it was its sender's
 */
record UnsentRow(MessageId key, String operations, int changes, int failures, long sendAtMicros) {

    /** Length of the column with the changes. */
    private static final int FULL = 4_000;

    /** Whether no more changes can be taken than there are. */
    boolean isHalfFull() {
        return operations.length() > FULL / 2;
    }
}
