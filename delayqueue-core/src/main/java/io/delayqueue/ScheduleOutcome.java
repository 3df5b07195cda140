package io.delayqueue;

/** Outcome of a {@code schedule} call. */
public enum ScheduleOutcome {

    /** The message was scheduled. */
    SCHEDULED,

    /** The message was scheduled and replaced one with the same id. */
    REPLACED,

    /** A pending or in-flight message with the same id exists and was kept; this one was not scheduled. */
    KEPT,

    /** A message with the same id exists; this one was refused. {@link ScheduleResult#existing()} tells the state of that one. */
    REJECTED_DUPLICATE
}
