package io.delayqueue.spring.listener;

import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;

/**
 * Wraps the handling of every message. All beans of this type are called in their {@code @Order}, the first one outermost;
 * for something that concerns one topic only, look at {@link ReceivedMessage#topic()}.
 */
@FunctionalInterface
public interface DelayQueueInterceptor {

    /**
     * Does something before and after, or instead of, {@code next.handle(message, delivery)}. What it throws counts as the
     * listener's failure; not calling {@code next} and returning acks the message. It may pass on a changed message.
     *
     * @param message what was delivered, its payload not converted
     * @param delivery the grip on the message
     * @param next the interceptors after this one, then the listener
     * @throws Exception what {@code next} threw, or something of its own
     */
    void handle(ReceivedMessage message, Delivery delivery, MessageHandler next) throws Exception;
}
