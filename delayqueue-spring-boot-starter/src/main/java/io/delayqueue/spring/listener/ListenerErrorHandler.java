package io.delayqueue.spring.listener;

import io.delayqueue.Delivery;
import io.delayqueue.ReceivedMessage;

/**
 * Decides about a message whose listener failed. A bean of this type replaces the default, which throws the failure on, so
 * that it is retried or dead-lettered by the listener's policy. Called on the handler's thread, outside all
 * {@link DelayQueueInterceptor}s; not called for an {@link Error} or {@link InterruptedException}, which always count as a
 * failure.
 */
@FunctionalInterface
public interface ListenerErrorHandler {

    /** Throws the failure on. */
    ListenerErrorHandler RETHROW = (message, failure, delivery) -> {
        throw failure;
    };

    /**
     * Decides: return to have the message acked, throw to have it treated as failed, or call
     * {@link Delivery#retryAfter} or {@link Delivery#deadLetter} and return.
     *
     * @param message what was delivered, its payload not converted
     * @param failure what the listener threw; an {@link UnprocessableMessageException} if it could not even be called
     * @param delivery the grip on the message
     * @throws Exception to have the message treated as failed
     */
    void handleError(ReceivedMessage message, Exception failure, Delivery delivery) throws Exception;
}
