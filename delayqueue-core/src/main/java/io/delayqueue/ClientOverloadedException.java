package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Too many messages of this client wait for Redis; see {@link DelayQueueOptions#maxWaitingMessages()} and
 * {@link DelayQueueOptions#maxWaitingBytes()}. The message was not sent: schedule it again once earlier calls are answered.
 */
public class ClientOverloadedException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** An exception about a topic or a message, with the parameters of {@link DelayQueueException}. */
    public ClientOverloadedException(
            String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
