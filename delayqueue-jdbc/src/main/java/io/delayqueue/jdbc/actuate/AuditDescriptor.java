package io.delayqueue.jdbc.actuate;

/**
 * The audit trail of this instance.
 *
 * @param waiting events that wait in memory to be written
 * @param dropped events that were dropped since the start, as the memory was full or the database refused them
 * @param failing whether the last write failed
 */
public record AuditDescriptor(int waiting, long dropped, boolean failing) {}
