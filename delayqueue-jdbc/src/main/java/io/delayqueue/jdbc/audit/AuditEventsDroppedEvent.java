package io.delayqueue.jdbc.audit;

/**
 * This process dropped events of messages, since the journal did not take them in time or can't keep them. Published once a minute at most.
 *
 * @param dropped number of events since the last one of these
 * @param total number of events since the start of the process
 */
public record AuditEventsDroppedEvent(long dropped, long total) {}
