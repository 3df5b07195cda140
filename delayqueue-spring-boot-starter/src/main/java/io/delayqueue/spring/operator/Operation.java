package io.delayqueue.spring.operator;

import java.util.Locale;

/** An operator's change of a topic or its messages. */
public enum Operation {
    /** Pauses the topic in all processes. */
    PAUSE(Right.OPERATE),
    /** Resumes the topic. */
    RESUME(Right.OPERATE),
    /** Cancels a message. */
    CANCEL(Right.OPERATE),
    /** Gives a message another due time. */
    RESCHEDULE(Right.OPERATE),
    /** Makes a message due at once. */
    RUN_NOW(Right.OPERATE),
    /** Makes dead letters due again. */
    REDRIVE(Right.OPERATE),
    /** Deletes dead letters. */
    PURGE_DEAD_LETTERS(Right.PURGE),
    /** Deletes pending messages. */
    PURGE_PENDING(Right.PURGE);

    private final Right right;

    Operation(Right right) {
        this.right = right;
    }

    /** The right that it needs. */
    public Right right() {
        return right;
    }

    /** Its name in words, such as {@code run now}. */
    String words() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
