package io.delayqueue;

/** What {@code schedule} does if a message with the same id is in the topic already, waiting, in flight or dead. */
public enum DuplicatePolicy {

    /** Leave the old message and say so: {@link ScheduleOutcome#REJECTED_DUPLICATE}. */
    REJECT,

    /** Leave the old message and treat the call as done: {@link ScheduleOutcome#KEPT}. */
    KEEP,

    /**
     * Put the new payload and time in the old one's place: {@link ScheduleOutcome#REPLACED}. A message that is being
     * handled can't be replaced and answers {@link ScheduleOutcome#REJECTED_DUPLICATE}.
     */
    REPLACE
}
