package io.delayqueue.jdbc.actuate;

import org.jspecify.annotations.Nullable;

/**
 * A restore that was asked for.
 *
 * @param accepted false if another restore was running; the other fields are about that one then
 * @param topic the topic; null for all
 * @param id the id; null for all
 * @param overdue whether messages that are not due yet are left out
 * @param dryRun whether it changes nothing
 * @param state {@code RUNNING}, {@code DONE}, {@code FAILED}, or {@code STOPPED} by a request or with the application
 * @param error why it failed; null if it did not
 * @param report its result; null if it has none
 */
public record RestoreRunDescriptor(
        boolean accepted,
        @Nullable String topic,
        @Nullable String id,
        boolean overdue,
        boolean dryRun,
        String state,
        @Nullable String error,
        @Nullable RestoreReportDescriptor report)
        implements JournalDescriptor {}
