package io.delayqueue;

import org.jspecify.annotations.Nullable;

/** The {@link DelayQueueClient} is closed. */
public class DelayQueueClosedException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** An exception about a topic or a message, with the parameters of {@link DelayQueueException}. */
    public DelayQueueClosedException(
            String message, @Nullable String topic, @Nullable String id, @Nullable Throwable cause) {
        super(message, topic, id, cause);
    }
}
