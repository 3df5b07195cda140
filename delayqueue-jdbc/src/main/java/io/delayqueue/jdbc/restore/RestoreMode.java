package io.delayqueue.jdbc.restore;

/** What the journal does when Redis lost data. */
public enum RestoreMode {
    /** Restores by itself, and reports it. */
    AUTOMATIC,
    /** Reports it, by an event, in the log and as unhealthy; you restore. */
    REPORT,
    /** Does not look. */
    OFF
}
