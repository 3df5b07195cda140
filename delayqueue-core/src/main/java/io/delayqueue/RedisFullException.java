package io.delayqueue;

import org.jspecify.annotations.Nullable;

/** Redis has reached its memory limit and accepts no new messages. Nothing was scheduled; consumers go on. */
public class RedisFullException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** An exception about a topic or a message, with the parameters of {@link DelayQueueException}. */
    public RedisFullException(String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
