package io.delayqueue.spring.listener;

/** What is logged of a failed attempt of a listener. */
public enum LogFailures {

    /** Nothing. */
    NONE,

    /** One line: message, attempt and failure. */
    MESSAGE,

    /** That line and the stack trace. */
    STACK_TRACE
}
