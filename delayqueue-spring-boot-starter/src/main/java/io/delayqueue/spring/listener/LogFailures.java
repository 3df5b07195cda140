package io.delayqueue.spring.listener;

/** How much is logged of a listener's failed attempts. A timeout is always logged, in one line. */
public enum LogFailures {

    /** Nothing. */
    NONE,

    /** One line: message, attempt and failure. */
    MESSAGE,

    /** That line and the stack trace. */
    STACK_TRACE
}
