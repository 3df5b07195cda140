package io.delayqueue.jdbc.restore;

/** Reaction of the journal to a loss of Redis. */
public enum RestoreMode {
    /** Restores lost messages by itself, and reports the loss. */
    AUTOMATIC,
    /**
     * Reports the loss by an event, in the log and as unhealthy; you start the restore. Claims are not held: messages that ended and came
     * back may be delivered again.
     */
    REPORT,
    /** Does not check for losses. */
    OFF
}
