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
     * Replaces the whole existing message and reports {@link ScheduleOutcome#REPLACED}: payload, headers, priority, limits and
     * due time. Its attempts are forgotten. A message in flight can't be replaced: {@link ScheduleOutcome#REJECTED_DUPLICATE}.
     */
    REPLACE
}
