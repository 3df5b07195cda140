package io.delayqueue.spring.listener;

import io.delayqueue.MessageHandler;

/**
 * Wraps the methods of listeners, inside all interceptors. Unlike a {@link DelayQueueInterceptor}, it knows the listener. A failure of its own
 * is retried by policy, and not judged by {@code retryFor} and {@code noRetryFor}.
 */
@FunctionalInterface
public interface ListenerDecorator {

    /**
     * The handler that is called instead of the listener; the listener itself if there is nothing to add.
     *
     * @throws InvalidListenerException if the listener can't be wrapped as it demands
     */
    MessageHandler decorate(DelayQueueListenerEndpoint endpoint, MessageHandler listener);
}
