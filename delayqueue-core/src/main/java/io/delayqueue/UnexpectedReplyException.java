package io.delayqueue;

import org.jspecify.annotations.Nullable;

/** Redis sent a reply that no script of this library sends. */
public class UnexpectedReplyException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** An exception about a topic or a message, with the parameters of {@link DelayQueueException}. */
    public UnexpectedReplyException(
            String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
