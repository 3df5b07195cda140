package io.delayqueue;

import org.jspecify.annotations.Nullable;

/** Redis answered what none of the scripts answers. */
public class UnexpectedReplyException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** See {@link DelayQueueException}. */
    public UnexpectedReplyException(
            String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
