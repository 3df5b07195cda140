package io.delayqueue;

import org.jspecify.annotations.Nullable;

/** Redis can't be reached, is loading, or did not answer in time. What was sent may have been done: repeat the call with the same message. */
public class RedisUnavailableException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** See {@link DelayQueueException}. */
    public RedisUnavailableException(
            String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
