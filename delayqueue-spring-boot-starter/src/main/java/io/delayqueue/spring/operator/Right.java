package io.delayqueue.spring.operator;

/** A permission of a {@link Caller}. */
public enum Right {
    /** See topics, their numbers, listeners and messages, without values. */
    VIEW,
    /** See payloads, header values and error texts, which may quote a payload. */
    PAYLOAD,
    /** Pause and resume topics; cancel, reschedule and redrive messages. */
    OPERATE,
    /** Delete dead letters and pending messages. */
    PURGE
}
