package io.delayqueue;

/** Where a message is in its life. */
public enum MessageState {

    /** Waiting for its due time. */
    SCHEDULED,

    /** Due, waiting for a consumer. */
    READY,

    /** Leased to a consumer. */
    IN_FLIGHT,

    /** Given up; see {@link DeadLetters}. */
    DEAD
}
