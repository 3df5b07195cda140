package io.delayqueue.spring.listener;

import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;

/** Resolves parameters of type {@link io.delayqueue.Delivery}. */
final class DeliveryArgumentResolver implements HandlerMethodArgumentResolver {

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return ParameterKind.of(parameter) == ParameterKind.DELIVERY;
    }

    @Override
    public Object resolveArgument(MethodParameter parameter, Message<?> message) {
        return ((DeliveredMessage) message).delivery();
    }
}
