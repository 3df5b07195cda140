package io.delayqueue;

import org.jspecify.annotations.Nullable;

/** Redis is at its memory limit and refuses new messages; consuming goes on. Nothing was scheduled. */
public class RedisFullException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** See {@link DelayQueueException}. */
    public RedisFullException(String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
