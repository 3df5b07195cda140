package io.delayqueue.jdbc.restore;

/** Reaction of the journal to a loss of Redis. */
public enum RestoreMode {
    /** Restores by itself, and reports it. */
    AUTOMATIC,
    /**
     * Reports it, by an event, in the log and as unhealthy; you restore. Claims are not held: messages that ended and came back may be
     * delivered again.
     */
    REPORT,
    /** Does not look. */
    OFF
}
