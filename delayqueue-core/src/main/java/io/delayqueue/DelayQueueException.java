package io.delayqueue;

import org.jspecify.annotations.Nullable;

/** Something went wrong that is not the caller's input. Sub-types name the cause. */
public class DelayQueueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final @Nullable String topic;
    private final @Nullable String id;

    /**
     * An exception about a topic or a message.
     *
     * @param message what was wrong and what to do
     * @param topic the topic concerned, if one is
     * @param id the message concerned, if one is
     * @param cause what caused it, if known
     */
    public DelayQueueException(String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, cause);
        this.topic = topic;
        this.id = id;
    }

    /** The topic concerned, if one is. */
    public @Nullable String topic() {
        return topic;
    }

    /** The message concerned, if one is. */
    public @Nullable String id() {
        return id;
    }
}
