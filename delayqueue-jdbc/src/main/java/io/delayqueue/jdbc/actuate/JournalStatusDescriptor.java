package io.delayqueue.jdbc.actuate;

import org.jspecify.annotations.Nullable;

/**
 * The journal's state.
 *
 * @param instance the instance that answers: {@code host:pid}
 * @param outbox changes that were not sent yet
 * @param audit events that are being recorded; null if the audit trail is switched off
 * @param restore losses and restores; null if nothing restores
 */
public record JournalStatusDescriptor(
        String instance,
        OutboxDescriptor outbox,
        @Nullable AuditDescriptor audit,
        @Nullable RestoreDescriptor restore) implements JournalDescriptor {}
