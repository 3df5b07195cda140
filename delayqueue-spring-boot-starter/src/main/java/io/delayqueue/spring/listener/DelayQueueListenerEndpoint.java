package io.delayqueue.spring.listener;

import java.lang.reflect.Method;
import java.util.function.Predicate;

/**
 * A listener as it was declared, before anything runs.
 *
 * @param id its name
 * @param topic the topic it consumes
 * @param bean the bean, perhaps a proxy
 * @param method the method to call on it
 * @param settings how it consumes
 * @param retryable which failures are worth another attempt
 */
public record DelayQueueListenerEndpoint(
        String id,
        String topic,
        Object bean,
        Method method,
        ListenerSettings settings,
        Predicate<Throwable> retryable) {

    @Override
    public String toString() {
        return "listener '" + id + "' of topic '" + topic + "' (" + InvalidListenerException.describe(method) + ")";
    }
}
