package io.delayqueue.spring.listener;

import io.delayqueue.Delivery;
import io.delayqueue.spring.DelayQueueMessage;
import java.util.Map;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;

/** Kinds of listener parameters. */
enum ParameterKind {
    HEADER,
    HEADERS,
    DELIVERY,
    ENVELOPE,
    PAYLOAD;

    static ParameterKind of(MethodParameter parameter) {
        Class<?> type = parameter.getParameterType();
        if (parameter.hasParameterAnnotation(Header.class)) {
            return HEADER;
        }
        if (parameter.hasParameterAnnotation(Headers.class) || type == MessageHeaders.class) {
            return HEADERS;
        }
        if (type == Delivery.class) {
            return DELIVERY;
        }
        if (type == DelayQueueMessage.class || type == Message.class) {
            return ENVELOPE;
        }
        return PAYLOAD;
    }

    /** Whether a parameter of this kind may have this type. */
    boolean accepts(Class<?> type) {
        return this != HEADERS || type == Map.class || type == MessageHeaders.class;
    }
}
