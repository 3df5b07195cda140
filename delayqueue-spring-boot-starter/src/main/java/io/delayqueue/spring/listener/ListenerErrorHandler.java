package io.delayqueue.spring.listener;

import io.delayqueue.Delivery;
import io.delayqueue.ReceivedMessage;

/**
 * Decides about a message whose listener threw an exception. A bean of this type replaces the default, which rethrows the
 * exception, so that the message is retried or dead-lettered by the listener's settings. Called on the handler's thread, after
 * the {@link DelayQueueInterceptor}s.
 *
 * <p>It does not decide about an {@link Error}, a timeout of the listener, or an exception of a listener that a timeout or a stop has
 * {@linkplain Delivery#isInterrupted() interrupted}: these fail the attempt, or release the message if the application is being
 * stopped. While a stop interrupts running handlers, its calls of the {@link Delivery} before it throws do not count.
 */
@FunctionalInterface
public interface ListenerErrorHandler {

    /** Rethrows the failure. */
    ListenerErrorHandler RETHROW = (message, failure, delivery) -> {
        throw failure;
    };

    /**
     * Decides about one failure. Returning acks the message, throwing fails it, and a call of {@link Delivery#retryAfter} or
     * {@link Delivery#deadLetter} before returning retries or dead-letters it.
     *
     * @param message the delivered message, its payload not converted
     * @param failure the exception of the listener, an interceptor, a converter or a validator; an
     *     {@link UnprocessableMessageException} if the message does not fit the listener's parameters
     * @param delivery retries, dead-letters or extends the message
     * @throws Exception to fail the message
     */
    void handleError(ReceivedMessage message, Exception failure, Delivery delivery) throws Exception;
}
