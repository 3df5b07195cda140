package io.delayqueue.jdbc.audit;

/** Decides whether messages flow while the journal takes no events. */
public enum AuditPolicy {

    /** Messages flow. The oldest events are dropped when no more fit in memory. */
    FLOW,

    /**
     * The application's listeners are paused before the memory is full, and resumed when the journal takes events again. Subscriptions
     * that the application made itself go on.
     */
    STOP
}
