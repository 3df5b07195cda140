package io.delayqueue;

import org.jspecify.annotations.Nullable;

/** Redis refused the credentials, or its ACL denies the user a command, key or channel. */
public class RedisAccessDeniedException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** An exception about a topic or a message, with the parameters of {@link DelayQueueException}. */
    public RedisAccessDeniedException(
            String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
