package io.delayqueue.spring.listener;

/**
 * How much is logged of a listener's failed attempts. Timeouts are always logged. So are messages that a handler's end dead-letters, with
 * the stack trace of the failure if there is one.
 */
public enum LogFailures {

    /** Nothing. */
    NONE,

    /** One line: message, attempt and failure. */
    MESSAGE,

    /** That line and the stack trace. */
    STACK_TRACE
}
