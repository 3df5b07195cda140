package io.delayqueue;

/** Handles due messages. Called by up to {@link ConsumerOptions#concurrency()} threads at once. */
@FunctionalInterface
public interface MessageHandler {

    /**
     * Handles a message. Returning acks it. Throwing retries it after the {@link Backoff}, or dead-letters it after its last
     * attempt.
     *
     * <p>A message can be delivered more than once, such as after a crash between handler and ack: be idempotent.
     */
    void handle(ReceivedMessage message, Delivery delivery) throws Exception;

    /**
     * A handler that returns a {@link java.util.concurrent.CompletionStage} instead of blocking a thread:
     * {@code queue.subscribe(topic, options, MessageHandler.async((message, delivery) -> http.sendAsync(...)))}.
     */
    static AsyncMessageHandler async(AsyncMessageHandler handler) {
        return handler;
    }
}
