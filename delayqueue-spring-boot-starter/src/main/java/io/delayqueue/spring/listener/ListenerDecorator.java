package io.delayqueue.spring.listener;

import java.util.Optional;

/**
 * Adds an interceptor to single listeners. All beans of this type are asked, in their {@code @Order}, the first one's interceptor
 * outermost.
 */
@FunctionalInterface
public interface ListenerDecorator {

    /**
     * The interceptor of a listener, called around its method and inside all {@link DelayQueueInterceptor} beans; empty if there is nothing
     * to add. Called once, when the listener's container is created. A failure of the interceptor's own gets another attempt, whatever
     * {@code retryFor} and {@code noRetryFor} say.
     *
     * @throws InvalidListenerException if the listener demands something that it can't have
     */
    Optional<DelayQueueInterceptor> interceptorFor(DelayQueueListenerEndpoint endpoint);

    /**
     * Whether its interceptors keep {@linkplain DelayQueueListenerEndpoint#idempotent() idempotent} listeners from handling a message
     * twice. Such a listener is refused unless a decorator does.
     */
    default boolean supportsIdempotent() {
        return false;
    }
}
