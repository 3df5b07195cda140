package io.delayqueue;

import org.jspecify.annotations.Nullable;

/** The topic has reached {@link TopicOptions#maxPending()}. Nothing was scheduled. */
public class TopicFullException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** An exception about a topic or a message, with the parameters of {@link DelayQueueException}. */
    public TopicFullException(String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
