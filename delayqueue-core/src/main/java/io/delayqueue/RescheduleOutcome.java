package io.delayqueue;

/** Outcome of a {@code reschedule} call. */
public enum RescheduleOutcome {

    /** The message has its new due time. */
    RESCHEDULED,

    /** The message is leased to a consumer and was not changed. */
    IN_FLIGHT,

    /** No message has this id: it was never scheduled, or is finished. */
    NOT_FOUND
}
