package io.delayqueue.spring.listener;

/**
 * How much is logged of a listener's failed attempts. Timeouts and dead-letterings are always logged; a dead-lettering with its stack
 * trace.
 */
public enum LogFailures {

    /** Nothing. */
    NONE,

    /** One line: message, attempt and failure. */
    MESSAGE,

    /** That line and the stack trace. */
    STACK_TRACE
}
