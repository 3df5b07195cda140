package io.delayqueue;

/**
 * Treatment of a message whose id the topic already has. The existing message may be scheduled, ready, in flight or dead;
 * {@link ScheduleResult#existing()} tells which.
 */
public enum DuplicatePolicy {

    /**
     * Keeps the existing message and reports {@link ScheduleOutcome#REJECTED_DUPLICATE}. The duplicate is also counted, and logged
     * at most once a minute.
     */
    REJECT,

    /**
     * Makes sure that a message with this id is pending or in flight: keeps the existing one and reports
     * {@link ScheduleOutcome#KEPT}. A dead letter is replaced as by {@link #REPLACE}: {@link ScheduleOutcome#REPLACED}.
     */
    KEEP,

    /**
     * Replaces the whole existing message and reports {@link ScheduleOutcome#REPLACED}: payload, headers, priority, limits and
     * due time. Its attempts are reset. A message in flight can't be replaced: {@link ScheduleOutcome#REJECTED_DUPLICATE}.
     */
    REPLACE
}
