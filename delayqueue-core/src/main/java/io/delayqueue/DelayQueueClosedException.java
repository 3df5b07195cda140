package io.delayqueue;

import org.jspecify.annotations.Nullable;

/** The delay queue is closed. */
public class DelayQueueClosedException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** See {@link DelayQueueException}. */
    public DelayQueueClosedException(
            String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
