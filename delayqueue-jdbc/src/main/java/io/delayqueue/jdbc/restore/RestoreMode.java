package io.delayqueue.jdbc.restore;

/** What the journal does when Redis lost data. */
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
