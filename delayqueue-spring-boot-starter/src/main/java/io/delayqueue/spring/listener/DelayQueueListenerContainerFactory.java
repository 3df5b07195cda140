package io.delayqueue.spring.listener;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageHandler;
import java.util.List;
import java.util.Objects;
import org.springframework.util.ClassUtils;

/**
 * Makes containers of endpoints: completes their settings by defaults, and puts interceptors and error handler around the
 * method. Define a bean of this type to replace the starter's.
 */
public class DelayQueueListenerContainerFactory {

    private final DelayQueueClient client;
    private final ListenerMethods methods;
    private final ListenerErrorHandler errorHandler;
    private final List<DelayQueueInterceptor> interceptors;
    private ListenerSettings defaults = ListenerSettings.NONE;
    private HandlerThreads threads = HandlerThreads.platform(
            Objects.requireNonNull(ClassUtils.getDefaultClassLoader(), "no default class loader"));

    /**
     * A factory.
     *
     * @param client where messages come from
     * @param methods makes methods callable
     * @param errorHandler decides about failures
     * @param interceptors wrap the handling, the first one outermost
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

    /** Settings for what a listener leaves open. Default: the core's. */
    public void setDefaults(ListenerSettings defaults) {
        this.defaults = defaults;
    }

    /** Makes the threads that listeners run on. Default: daemon threads of the platform. */
    public void setThreads(HandlerThreads threads) {
        this.threads = threads;
    }

    /**
     * A container, not started.
     *
     * @throws InvalidListenerException if the endpoint can't work
     */
    public DelayQueueListenerContainer createContainer(DelayQueueListenerEndpoint endpoint) {
        ListenerSettings settings = endpoint.settings().over(defaults);
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
                    .threadFactory(threads.of(endpoint.id()))
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
