package io.delayqueue.spring.operator;

/** A right of a {@link Caller} to see or change topics. */
public enum Right {
    /** See topics, their numbers, listeners and messages, without values. */
    VIEW("see topics"),
    /** See payloads, header values and error texts, which may quote a payload. */
    PAYLOAD("see payloads"),
    /** Pause and resume topics; cancel, reschedule and redrive messages. */
    OPERATE("operate topics and messages"),
    /** Delete dead letters and pending messages. */
    PURGE("purge messages");

    private final String words;

    Right(String words) {
        this.words = words;
    }

    /** The right in words. */
    String words() {
        return words;
    }
}
