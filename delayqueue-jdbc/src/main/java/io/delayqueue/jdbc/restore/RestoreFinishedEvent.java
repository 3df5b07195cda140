package io.delayqueue.jdbc.restore;

/**
 * A restore that began by itself has ended.
 *
 * @param report of one topic
 */
public record RestoreFinishedEvent(RestoreReport report) {}
