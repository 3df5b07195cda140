package io.delayqueue;

/**
 * Treatment of a message whose id the topic already has. The existing message may be scheduled, ready, in flight or dead.
 */
public enum DuplicatePolicy {

    /** Keeps the existing message and reports {@link ScheduleOutcome#REJECTED_DUPLICATE}. */
    REJECT,

    /** Keeps the existing message and reports {@link ScheduleOutcome#KEPT}. */
    KEEP,

    /**
     * Replaces payload and due time of the existing message: {@link ScheduleOutcome#REPLACED}. A message in flight can't be
     * replaced: {@link ScheduleOutcome#REJECTED_DUPLICATE}.
     */
    REPLACE
}
