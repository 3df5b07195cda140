package io.delayqueue.spring.listener;

import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;

/**
 * Wraps the handling of every message. All beans of this type are called in their {@code @Order}, the first one outermost.
 * For a single topic, compare {@link ReceivedMessage#topic()}.
 */
@FunctionalInterface
public interface DelayQueueInterceptor {

    /**
     * Acts before and after, or instead of, {@code next.handle(message, delivery)}. An exception counts as the listener's
     * failure; returning without a call of {@code next} acks the message. The message passed on may be a changed one, see
     * {@link ReceivedMessage#toBuilder()}.
     *
     * @param message the delivered message, its payload not converted
     * @param delivery retries, dead-letters or extends the message
     * @param next the interceptors after this one, then the listener
     * @throws Exception the exception of {@code next}, or the interceptor's own
     */
    void handle(ReceivedMessage message, Delivery delivery, MessageHandler next) throws Exception;
}
