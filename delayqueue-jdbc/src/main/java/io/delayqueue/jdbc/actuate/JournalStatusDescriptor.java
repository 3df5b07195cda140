package io.delayqueue.jdbc.actuate;

/**
 * The journal's state.
 *
 * @param outbox what was not sent yet
 */
public record JournalStatusDescriptor(OutboxDescriptor outbox) implements JournalDescriptor {}
