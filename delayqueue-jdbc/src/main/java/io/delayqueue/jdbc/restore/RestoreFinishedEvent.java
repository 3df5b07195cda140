package io.delayqueue.jdbc.restore;

/**
 * A restore that began by itself has ended.
 *
 * @param topic the restored topic
 * @param report its findings and changes; in the mode {@link RestoreMode#REPORT} it changed nothing
 */
public record RestoreFinishedEvent(String topic, RestoreReport report) {}
