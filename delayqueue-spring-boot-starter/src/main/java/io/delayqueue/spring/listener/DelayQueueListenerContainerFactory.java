package io.delayqueue.spring.listener;

import io.delayqueue.AsyncMessageHandler;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Creates containers from endpoints: adds default settings, and wraps the method in interceptors and error handler. A bean of
 * this type replaces the starter's; to keep the application's properties, interceptors and error handler, let
 * {@code DelayQueueListenerContainerFactoryConfigurer} configure it.
 */
public class DelayQueueListenerContainerFactory {

    private final DelayQueueClient client;
    private final ListenerMethods methods;
    private ListenerErrorHandler errorHandler = ListenerErrorHandler.RETHROW;
    private List<DelayQueueInterceptor> interceptors = List.of();
    private List<ListenerDecorator> decorators = List.of();
    private ListenerSettings defaults = ListenerSettings.NONE;

    /**
     * A factory without defaults, interceptors and error handler.
     *
     * @param client the client to subscribe with
     * @param methods creates handlers that call listener methods
     */
    public DelayQueueListenerContainerFactory(DelayQueueClient client, ListenerMethods methods) {
        this.client = client;
        this.methods = methods;
    }

    /** Decides about failures. Default: {@link ListenerErrorHandler#RETHROW}. */
    public void setErrorHandler(ListenerErrorHandler errorHandler) {
        this.errorHandler = errorHandler;
    }

    /** Wrap the handling of every message, the first one outermost. Default: none. */
    public void setInterceptors(List<DelayQueueInterceptor> interceptors) {
        this.interceptors = List.copyOf(interceptors);
    }

    /** Add interceptors to single listeners, inside those of {@link #setInterceptors}. Default: none. */
    public void setDecorators(List<ListenerDecorator> decorators) {
        this.decorators = List.copyOf(decorators);
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
        requireLeaseBeyondClaimAhead(endpoint, options);
        MessageHandler handler = handler(endpoint);
        return new DelayQueueListenerContainer(
                endpoint,
                client,
                options,
                settings.startsWithApplication(),
                () -> client.subscribe(endpoint.topic(), options, handler));
    }

    /** As {@link DelayQueueClient#subscribe} does, by the names that the application uses. */
    private void requireLeaseBeyondClaimAhead(DelayQueueListenerEndpoint endpoint, ConsumerOptions options) {
        Duration claimAhead = client.options().claimAhead();
        if (claimAhead.multipliedBy(2).compareTo(options.lease()) > 0) {
            throw new InvalidListenerException(
                    endpoint,
                    "lease",
                    "must be at least twice delayqueue.claim-ahead (" + claimAhead + "), but is " + options.lease()
                            + ", by this attribute or delayqueue.listener.lease",
                    null);
        }
    }

    private ConsumerOptions options(DelayQueueListenerEndpoint endpoint, ListenerSettings settings) {
        try {
            // the backoff alone can be out of range: its settings are checked together, after the defaults are added
            return settings.applyTo(ConsumerOptions.builder())
                    .retryable(new ListenerRetries(endpoint.retryable()))
                    .build();
        } catch (IllegalArgumentException e) {
            throw new InvalidListenerException(endpoint, "backoff", String.valueOf(e.getMessage()), e);
        }
    }

    private MessageHandler handler(DelayQueueListenerEndpoint endpoint) {
        MessageHandler listener = methods.handlerFor(endpoint);
        List<DelayQueueInterceptor> around = interceptorsOf(endpoint);
        ListenerRetries retries = new ListenerRetries(endpoint.retryable());
        return (message, delivery) -> {
            ListenerCall call = new ListenerCall(listener);
            try (MessageInLogs inLogs = new MessageInLogs(message)) {
                handle(message, delivery, intercepted(call, around));
            } catch (Exception | Error e) {
                if (!call.hasFailed() && retries.asksListener(e)) {
                    throw new SurroundingFailureException(e);
                }
                throw e;
            }
        };
    }

    private List<DelayQueueInterceptor> interceptorsOf(DelayQueueListenerEndpoint endpoint) {
        if (endpoint.idempotent()) {
            requireIdempotent(endpoint);
        }
        List<DelayQueueInterceptor> around = new ArrayList<>(interceptors);
        for (ListenerDecorator decorator : decorators) {
            decorator.interceptorFor(endpoint).ifPresent(around::add);
        }
        return List.copyOf(around);
    }

    private void requireIdempotent(DelayQueueListenerEndpoint endpoint) {
        if (endpoint.hasHandler() && endpoint.bean() instanceof AsyncMessageHandler) {
            throw new InvalidListenerException(
                    endpoint,
                    "idempotent",
                    "needs a MessageHandler that does its work before it returns, but this one is an AsyncMessageHandler",
                    null);
        }
        if (decorators.stream().noneMatch(ListenerDecorator::supportsIdempotent)) {
            throw new InvalidListenerException(
                    endpoint,
                    "idempotent",
                    "needs a database that records handled messages. Add delayqueue-jdbc and a DataSource, and don't switch"
                            + " delayqueue.journal.enabled off",
                    null);
        }
    }

    private static MessageHandler intercepted(MessageHandler listener, List<DelayQueueInterceptor> interceptors) {
        MessageHandler handler = listener;
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            DelayQueueInterceptor interceptor = interceptors.get(i);
            MessageHandler next = handler;
            handler = (message, delivery) -> interceptor.handle(message, delivery, next);
        }
        return handler;
    }

    private void handle(ReceivedMessage message, Delivery delivery, MessageHandler handler) throws Exception {
        try {
            handler.handle(message, delivery);
        } catch (Exception e) {
            if (delivery.isInterrupted()) {
                throw e;
            }
            errorHandler.handleError(message, e, delivery);
        }
    }
}
