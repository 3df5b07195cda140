package io.delayqueue.spring.listener;

import io.delayqueue.spring.DelayQueueMessage;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.support.GenericMessage;

/**
 * Resolves parameters of type {@link DelayQueueMessage} or {@link Message}, with a payload of the type argument. Without a type
 * argument, or with a wildcard, the payload is the stored bytes.
 */
final class EnvelopeArgumentResolver implements HandlerMethodArgumentResolver {

    private final PayloadArgumentResolver payloads;

    EnvelopeArgumentResolver(PayloadArgumentResolver payloads) {
        this.payloads = payloads;
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return ParameterKind.of(parameter) == ParameterKind.ENVELOPE;
    }

    @Override
    public Object resolveArgument(MethodParameter parameter, Message<?> message) {
        Object payload = payloads.read(message, parameter, EnvelopeArgumentResolver::payloadType);
        return parameter.getParameterType() == DelayQueueMessage.class
                ? DelayQueueMessage.of(((DeliveredMessage) message).delivered(), payload)
                : new GenericMessage<>(payload, message.getHeaders());
    }

    private static Type payloadType(MethodParameter parameter) {
        Type type =
                GenericTypeResolver.resolveType(parameter.getGenericParameterType(), parameter.getContainingClass());
        Type argument =
                type instanceof ParameterizedType parameterized ? parameterized.getActualTypeArguments()[0] : type;
        if (argument instanceof WildcardType wildcard && wildcard.getUpperBounds()[0] != Object.class) {
            return wildcard.getUpperBounds()[0];
        }
        return argument == type || argument instanceof WildcardType || argument instanceof TypeVariable
                ? byte[].class
                : argument;
    }
}
