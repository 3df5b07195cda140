package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * What became of a change.
 *
 * @param outcome what Redis did
 * @param failure why Redis refused the change, if {@link Outcome#FAILED}
 */
public record OutboxAnswer(Outcome outcome, @Nullable DelayQueueException failure) {

    /** What Redis did. */
    public enum Outcome {
        /** The message was scheduled. */
        SCHEDULED,
        /** The message was scheduled and replaced one with the same id. */
        REPLACED,
        /** A message with the same id was kept. */
        KEPT,
        /** A message with the same id exists, so this one was refused. */
        REJECTED_DUPLICATE,
        /** The message was cancelled. */
        CANCELLED,
        /** The message has its new due time. */
        RESCHEDULED,
        /** The message is leased to a consumer and was not changed. */
        IN_FLIGHT,
        /** No message has the id. */
        NOT_FOUND,
        /** An earlier call applied the change. */
        APPLIED_BEFORE,
        /** The deadline was over, and nothing was done. */
        LATE,
        /** The change failed alone; another attempt may succeed. */
        FAILED
    }
}
