package io.delayqueue;

/** Who won the race for a message that was to be cancelled. */
public enum CancelOutcome {

    /** The message is gone and will not be handled (again). */
    CANCELLED,

    /** A consumer holds it; it was left alone. */
    IN_FLIGHT,

    /** No such message: never scheduled, or already done. */
    NOT_FOUND
}
