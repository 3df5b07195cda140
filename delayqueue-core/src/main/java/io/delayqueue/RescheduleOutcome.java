package io.delayqueue;

/** Who won the race for a message that was to be rescheduled. */
public enum RescheduleOutcome {

    /** The message has its new due time. */
    RESCHEDULED,

    /** A consumer holds it; it was left alone. */
    IN_FLIGHT,

    /** No such message: never scheduled, or already done. */
    NOT_FOUND
}
