package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Too many messages of this client wait for Redis; see {@link DelayQueueOptions#maxWaitingMessages()} and
 * {@link DelayQueueOptions#maxWaitingBytes()}. Also thrown while as many answers wait for continuations that block, or while no thread
 * is left for the answer of a call that a continuation makes; see {@link DelayQueueOptions#completionExecutor()}. Nothing was sent:
 * repeat the call once earlier ones are answered.
 */
public class ClientOverloadedException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** An exception about a topic or a message, with the parameters of {@link DelayQueueException}. */
    public ClientOverloadedException(
            String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
