package io.delayqueue.jdbc.actuate;

/** A change that operators may ask for. */
public enum JournalAction {
    /** Sends the changes of a blocked id, or of all blocked ids of a topic, again. */
    UNBLOCK,
    /** Compares Redis with the journal, and schedules again what is missing; or stops doing so. */
    RESTORE
}
