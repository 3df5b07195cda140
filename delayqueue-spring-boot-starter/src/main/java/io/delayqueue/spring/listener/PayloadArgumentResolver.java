package io.delayqueue.spring.listener;

import io.delayqueue.spring.PayloadConverter;
import java.lang.reflect.Type;
import java.util.Optional;
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
        MethodParameter nested = parameter.nestedIfOptional();
        Type type =
                GenericTypeResolver.resolveType(nested.getNestedGenericParameterType(), parameter.getContainingClass());
        Object payload = read(message, parameter, type);
        return optional ? Optional.of(payload) : payload;
    }

    /** Reads the payload as this type, and validates it if the parameter asks for it. */
    Object read(Message<?> message, MethodParameter parameter, Type type) {
        Object payload = converter.fromBytes((byte[]) message.getPayload(), type);
        validate(message, parameter, payload);
        return payload;
    }

    private static boolean isRequired(MethodParameter parameter) {
        Payload annotation = parameter.getParameterAnnotation(Payload.class);
        return annotation == null || annotation.required();
    }
}
