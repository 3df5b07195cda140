package io.delayqueue.spring.listener;

import io.delayqueue.MessageHandler;
import io.delayqueue.spring.PayloadConverter;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.messaging.handler.annotation.support.HeadersMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.validation.Validator;

/** Creates handlers that call listener methods. Safe for use by several threads. */
public final class ListenerMethods {

    private final HandlerMethodArgumentResolverComposite resolvers;
    private final boolean hasValidator;

    /**
     * Creates handlers with this converter and validator.
     *
     * @param converter reads payloads
     * @param validator validates payloads whose parameter asks for it; null if there is none
     * @param beanFactory resolves placeholders in default values of headers
     */
    public ListenerMethods(
            PayloadConverter converter, @Nullable Validator validator, ConfigurableBeanFactory beanFactory) {
        PayloadArgumentResolver payloads = new PayloadArgumentResolver(converter, validator);
        this.resolvers = new HandlerMethodArgumentResolverComposite()
                .addResolver(new HeaderArgumentResolver(beanFactory))
                .addResolver(new HeadersMethodArgumentResolver())
                .addResolver(new DeliveryArgumentResolver())
                .addResolver(new EnvelopeArgumentResolver(payloads))
                .addResolver(payloads);
        this.hasValidator = validator != null;
    }

    /**
     * The endpoint's handler, or one that calls its method.
     *
     * @throws InvalidListenerException if a parameter or the return type is not accepted
     */
    MessageHandler handlerFor(DelayQueueListenerEndpoint endpoint) {
        if (endpoint.hasHandler()) {
            return (MessageHandler) endpoint.bean();
        }
        ListenerMethod method = new ListenerMethod(endpoint.bean(), endpoint.method(), resolvers);
        new ListenerSignature(method, hasValidator, endpoint.idempotent()).check();
        return method;
    }
}
