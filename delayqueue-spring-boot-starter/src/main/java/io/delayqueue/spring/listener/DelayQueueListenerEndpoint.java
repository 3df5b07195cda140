package io.delayqueue.spring.listener;

import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReceivedMessage;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.springframework.util.ClassUtils;

/**
 * Declaration of a listener; a container runs it. {@code @DelayQueueListener} methods are declared by the starter. To declare
 * one by program, pass {@link #forHandler} or {@link #forMethod} to {@link DelayQueueListenerEndpointRegistry#register}.
 *
 * @param id its id
 * @param topic the topic it consumes
 * @param bean its bean, possibly a proxy
 * @param method the method to call on the bean
 * @param settings its configured settings
 * @param retryable decides which failures of the listener get another attempt, see {@link #withRetryable}
 * @param idempotent whether a message that was handled is not handled again, see {@link #withIdempotent}
 */
public record DelayQueueListenerEndpoint(
        String id,
        String topic,
        Object bean,
        Method method,
        ListenerSettings settings,
        Predicate<Throwable> retryable,
        boolean idempotent) {

    static final Predicate<Throwable> RETRY_ALL = new RetryFilter(List.of(), List.of());

    private static final Method HANDLE =
            ClassUtils.getMethod(MessageHandler.class, "handle", ReceivedMessage.class, Delivery.class);

    public DelayQueueListenerEndpoint {
        if (id.isBlank()) {
            throw new IllegalArgumentException("id of a listener of topic '" + topic + "' must not be blank");
        }
        OutgoingMessage.to(topic); // refuses an invalid topic
        Objects.requireNonNull(bean, "bean");
        Objects.requireNonNull(method, "method");
        Objects.requireNonNull(settings, "settings");
        Objects.requireNonNull(retryable, "retryable");
    }

    /**
     * A listener that handles messages with their payload not converted, with default settings. It takes a thread until it returns: an
     * {@link io.delayqueue.AsyncMessageHandler} is waited for, since interceptors and error handler see its outcome. To handle messages
     * without a thread each, call {@link io.delayqueue.DelayQueueClient#subscribe} with it.
     *
     * @throws IllegalArgumentException if the id is blank or the topic invalid
     */
    public static DelayQueueListenerEndpoint forHandler(String id, String topic, MessageHandler handler) {
        return forMethod(id, topic, handler, HANDLE);
    }

    /**
     * A listener that calls a method as if it were a {@code @DelayQueueListener}, with default settings.
     *
     * @throws IllegalArgumentException if the id is blank or the topic invalid
     */
    public static DelayQueueListenerEndpoint forMethod(String id, String topic, Object bean, Method method) {
        return new DelayQueueListenerEndpoint(id, topic, bean, method, ListenerSettings.NONE, RETRY_ALL, false);
    }

    /** This listener with other settings. */
    public DelayQueueListenerEndpoint withSettings(ListenerSettings settings) {
        return new DelayQueueListenerEndpoint(id, topic, bean, method, settings, retryable, idempotent);
    }

    /**
     * This listener with another decision about its failures; by default all get another attempt. As with {@code retryFor} of the
     * annotation, the predicate is asked about failures of the listener itself. A timeout, or a converter or interceptor that fails, gets
     * another attempt anyway; an {@link UnprocessableMessageException} gets none.
     */
    public DelayQueueListenerEndpoint withRetryable(Predicate<Throwable> retryable) {
        return new DelayQueueListenerEndpoint(id, topic, bean, method, settings, retryable, idempotent);
    }

    /**
     * This listener, idempotent or not; by default it is not. As with {@code idempotent} of the annotation, a {@link ListenerDecorator}
     * that supports it has to be there, and the method must return {@code void}.
     */
    public DelayQueueListenerEndpoint withIdempotent(boolean idempotent) {
        return new DelayQueueListenerEndpoint(id, topic, bean, method, settings, retryable, idempotent);
    }

    DelayQueueListenerEndpoint withId(String id) {
        return new DelayQueueListenerEndpoint(id, topic, bean, method, settings, retryable, idempotent);
    }

    /** Whether it was declared with a handler instead of a method. */
    boolean hasHandler() {
        return bean instanceof MessageHandler && method.equals(HANDLE);
    }

    /** Its code: the class of its handler, or its method. */
    String source() {
        return hasHandler() ? bean.getClass().getName() : InvalidListenerException.describe(method);
    }

    @Override
    public String toString() {
        return "listener '" + id + "' of topic '" + topic + "' (" + source() + ")";
    }
}
