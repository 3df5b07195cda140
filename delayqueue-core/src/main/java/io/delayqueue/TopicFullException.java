package io.delayqueue;

import org.jspecify.annotations.Nullable;

/** The topic holds as many pending messages as {@link TopicOptions#maxPending()} allows. Nothing was scheduled. */
public class TopicFullException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** See {@link DelayQueueException}. */
    public TopicFullException(String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
