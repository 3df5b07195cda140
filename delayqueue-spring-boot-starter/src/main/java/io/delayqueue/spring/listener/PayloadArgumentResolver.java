package io.delayqueue.spring.listener;

import io.delayqueue.spring.PayloadConverter;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.SimpleMessageConverter;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.support.PayloadMethodArgumentResolver;
import org.springframework.validation.Validator;

/**
 * Resolves payload parameters: reads the payload as the parameter's type with its generics, and validates it if the parameter
 * asks for it. If the payload has no bytes, an {@code Optional} is empty and a parameter that is not required is null.
 */
final class PayloadArgumentResolver extends PayloadMethodArgumentResolver {

    private final PayloadConverter converter;

    /** To find a type takes longer than to read a small payload. */
    private final Map<MethodParameter, Type> types = new ConcurrentHashMap<>();

    PayloadArgumentResolver(PayloadConverter converter, @Nullable Validator validator) {
        super(new SimpleMessageConverter(), validator);
        this.converter = converter;
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return ParameterKind.of(parameter) == ParameterKind.PAYLOAD;
    }

    @Override
    public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message) {
        byte[] bytes = (byte[]) message.getPayload();
        boolean optional = parameter.getParameterType() == Optional.class;
        if (bytes.length == 0 && (optional || !isRequired(parameter))) {
            return optional ? Optional.empty() : null;
        }
        Object payload = read(message, parameter, PayloadArgumentResolver::payloadType);
        return optional ? Optional.of(payload) : payload;
    }

    private static Type payloadType(MethodParameter parameter) {
        MethodParameter nested = parameter.nestedIfOptional();
        return GenericTypeResolver.resolveType(nested.getNestedGenericParameterType(), parameter.getContainingClass());
    }

    /**
     * Reads the payload, and validates it if the parameter asks for it.
     *
     * @param type finds the payload's type, once for each parameter
     */
    Object read(Message<?> message, MethodParameter parameter, Function<MethodParameter, Type> type) {
        Object payload = converter.fromBytes((byte[]) message.getPayload(), types.computeIfAbsent(parameter, type));
        validate(message, parameter, payload);
        return payload;
    }

    private static boolean isRequired(MethodParameter parameter) {
        Payload annotation = parameter.getParameterAnnotation(Payload.class);
        return annotation == null || annotation.required();
    }
}
