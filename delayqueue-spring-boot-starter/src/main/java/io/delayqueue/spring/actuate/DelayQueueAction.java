package io.delayqueue.spring.actuate;

import java.util.Locale;

/** An action of the endpoint's write operation. In a request, case and dashes don't matter. */
public enum DelayQueueAction {
    /** Pauses the topic in all processes. */
    PAUSE,
    /** Resumes the topic. */
    RESUME,
    /** Cancels a message. */
    CANCEL,
    /** Gives a message another due time: {@code due} or {@code delay}. */
    RESCHEDULE,
    /** Makes a message due at once. */
    RUN_NOW,
    /** Makes dead letters due at once. */
    REDRIVE,
    /** Deletes dead letters. */
    PURGE_DEAD_LETTERS,
    /** Deletes pending messages. */
    PURGE_PENDING,
    /** Counts the messages that a bulk operation would change, and returns a token to start it with. */
    PLAN,
    /** Starts a bulk operation by its token. */
    START,
    /** Stops a bulk operation by its token. */
    STOP;

    /** As requests and answers write it, such as {@code run-now}. */
    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
