package io.delayqueue.jdbc.relay;

import io.delayqueue.OutboxAnswer;
import io.delayqueue.jdbc.outbox.Change;
import io.delayqueue.jdbc.outbox.MessageId;

/**
 * A change that Redis has answered.
 *
 * @param key topic and id
 * @param change the change
 * @param answer Redis' answer
 */
public record SentChange(MessageId key, Change change, OutboxAnswer answer) {}
