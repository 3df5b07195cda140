package io.delayqueue.jdbc.restore;

/**
 * A restore that began by itself has ended.
 *
 * @param topic the restored topic
 * @param report what was found and done; in the mode {@link RestoreMode#REPORT} nothing was
 */
public record RestoreFinishedEvent(String topic, RestoreReport report) {}
