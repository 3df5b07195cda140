package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Redis can't be reached, is loading, or did not answer in time. The command may have run. Repeat a {@code schedule}
 * call with the same {@link OutgoingMessage}, which is recognised while the message exists, or with an id of your own, which is then a
 * duplicate. A message that was handled meanwhile is scheduled again. A new message without an id would be a second one in any case.
 */
public class RedisUnavailableException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** An exception about a topic or a message, with the parameters of {@link DelayQueueException}. */
    public RedisUnavailableException(
            String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
