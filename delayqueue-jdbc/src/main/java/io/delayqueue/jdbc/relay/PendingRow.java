package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.outbox.OutboxKey;

/**
 * A row of the outbox as it was read.
 *
 * @param key topic and id
 * @param operations the changes as text, in their order
 * @param changes number of the changes
 * @param failures number of times that Redis refused the first change
 * @param sendAtMicros the time at which the claim on the row ended when it was read
 */
record PendingRow(OutboxKey key, String operations, int changes, int failures, long sendAtMicros) {}
