package io.delayqueue.spring.listener;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.core.convert.ConversionException;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHandlingException;
import org.springframework.messaging.handler.annotation.support.HeaderMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;

/** Resolves {@code @Header} parameters; tells a header that is missing or of the wrong type from other failures. */
final class HeaderArgumentResolver implements HandlerMethodArgumentResolver {

    private final HeaderMethodArgumentResolver headers;

    HeaderArgumentResolver(ConfigurableBeanFactory beanFactory) {
        this.headers = new HeaderMethodArgumentResolver(new DefaultFormattingConversionService(), beanFactory);
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return headers.supportsParameter(parameter);
    }

    @Override
    public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message) throws Exception {
        try {
            return headers.resolveArgument(parameter, message);
        } catch (MessageHandlingException | ConversionException e) {
            throw new UnsuitableHeaderException(e);
        }
    }

    /** A header is missing or can't be converted to the parameter's type. */
    static final class UnsuitableHeaderException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        UnsuitableHeaderException(RuntimeException cause) {
            super(cause.getMessage(), cause);
        }
    }
}
