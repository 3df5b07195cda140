package io.delayqueue;

/** What to do with a due message. Called by many threads at once, up to {@link ConsumerOptions#concurrency()}. */
@FunctionalInterface
public interface MessageHandler {

    /**
     * Handles a message. Returning acks it; throwing has it delivered again after the {@link Backoff}, until its attempts
     * are used up and it is dead-lettered.
     *
     * <p>A message can come twice (a consumer that dies after handling and before the ack): be idempotent.
     */
    void handle(ReceivedMessage message, Delivery delivery) throws Exception;
}
