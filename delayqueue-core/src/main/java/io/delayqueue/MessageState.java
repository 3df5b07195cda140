package io.delayqueue;

/** State of a message. */
public enum MessageState {

    /** Not yet due. */
    SCHEDULED,

    /** Due, and not leased to a consumer. */
    READY,

    /** Leased to a consumer. */
    IN_FLIGHT,

    /** Dead-lettered; see {@link DeadLetters}. */
    DEAD
}
