package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Redis can't be reached, is loading, or did not answer in time. The command may have run: repeat the call with the same
 * message, which is recognised.
 */
public class RedisUnavailableException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** An exception about a topic or a message, with the parameters of {@link DelayQueueException}. */
    public RedisUnavailableException(
            String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
