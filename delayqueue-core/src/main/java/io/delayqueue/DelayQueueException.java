package io.delayqueue;

import org.jspecify.annotations.Nullable;

/** A call of the delay queue failed; the subtype names the cause. Invalid input is an {@link IllegalArgumentException} instead. */
public class DelayQueueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final @Nullable String topic;
    private final @Nullable String id;

    /**
     * An exception about a topic or a message.
     *
     * @param message the problem and the remedy
     * @param topic the topic that the failure is about, or null
     * @param id the message that the failure is about, or null
     * @param cause the cause, or null if unknown
     */
    public DelayQueueException(String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, cause);
        this.topic = topic;
        this.id = id;
    }

    /** The topic that the failure is about, or null. */
    public @Nullable String topic() {
        return topic;
    }

    /** Id of the message that the failure is about, or null. */
    public @Nullable String id() {
        return id;
    }
}
