package io.delayqueue;

/** What became of a {@code schedule} call. */
public enum ScheduleOutcome {

    /** The message is kept and will be delivered. */
    SCHEDULED,

    /** It took the place of a message with the same id. */
    REPLACED,

    /** A message with the same id was there and was kept; this one was dropped. */
    KEPT,

    /** A message with the same id was there; this one was refused. */
    REJECTED_DUPLICATE
}
