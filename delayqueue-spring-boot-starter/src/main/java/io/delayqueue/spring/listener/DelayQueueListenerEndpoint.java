package io.delayqueue.spring.listener;

import java.lang.reflect.Method;
import java.util.function.Predicate;

/**
 * Declaration of a listener; a container runs it.
 *
 * @param id its id
 * @param topic the topic it consumes
 * @param bean its bean, possibly a proxy
 * @param method the method to call on the bean
 * @param settings its configured settings
 * @param retryable decides which failures get another attempt
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
