package io.delayqueue.spring.listener;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageHandler;
import java.util.List;

/**
 * Creates containers from endpoints: adds default settings, and wraps the method in interceptors and error handler. A bean of
 * this type replaces the starter's.
 */
public class DelayQueueListenerContainerFactory {

    private final DelayQueueClient client;
    private final ListenerMethods methods;
    private final ListenerErrorHandler errorHandler;
    private final List<DelayQueueInterceptor> interceptors;
    private ListenerSettings defaults = ListenerSettings.NONE;

    /**
     * A factory.
     *
     * @param client the client to subscribe with
     * @param methods creates handlers that call listener methods
     * @param errorHandler decides about failures
     * @param interceptors wrap the handling of every message, the first one outermost
     */
    public DelayQueueListenerContainerFactory(
            DelayQueueClient client,
            ListenerMethods methods,
            ListenerErrorHandler errorHandler,
            List<DelayQueueInterceptor> interceptors) {
        this.client = client;
        this.methods = methods;
        this.errorHandler = errorHandler;
        this.interceptors = List.copyOf(interceptors);
    }

    /** Settings of a listener that does not configure its own. Default: the core's. */
    public void setDefaults(ListenerSettings defaults) {
        this.defaults = defaults;
    }

    /**
     * Creates a container, which is not yet started.
     *
     * @throws InvalidListenerException if the endpoint is invalid
     */
    public DelayQueueListenerContainer createContainer(DelayQueueListenerEndpoint endpoint) {
        ListenerSettings settings = endpoint.settings().withDefaults(defaults);
        ConsumerOptions options = options(endpoint, settings);
        MessageHandler handler = handler(endpoint);
        return new DelayQueueListenerContainer(
                endpoint,
                options,
                settings.startsWithApplication(),
                () -> client.subscribe(endpoint.topic(), options, handler));
    }

    private ConsumerOptions options(DelayQueueListenerEndpoint endpoint, ListenerSettings settings) {
        try {
            return settings.applyTo(ConsumerOptions.builder())
                    .retryable(endpoint.retryable())
                    .build();
        } catch (IllegalArgumentException e) {
            throw new InvalidListenerException(endpoint.method(), "backoff", String.valueOf(e.getMessage()), e);
        }
    }

    private MessageHandler handler(DelayQueueListenerEndpoint endpoint) {
        MessageHandler handler = methods.handlerFor(endpoint);
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            DelayQueueInterceptor interceptor = interceptors.get(i);
            MessageHandler next = handler;
            handler = (message, delivery) -> interceptor.handle(message, delivery, next);
        }
        MessageHandler intercepted = handler;
        return (message, delivery) -> {
            try {
                intercepted.handle(message, delivery);
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                errorHandler.handleError(message, e, delivery);
            }
        };
    }
}
