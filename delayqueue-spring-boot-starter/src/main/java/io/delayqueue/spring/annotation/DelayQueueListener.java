package io.delayqueue.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Has a method called with each message of a topic once it is due. The method of any bean will do, of any visibility but
 * private on a proxied bean. Returning acks the message; throwing has it delivered again after the backoff, until its
 * attempts are used up and it is dead-lettered. A message can come twice: be idempotent.
 *
 * <p>Parameters, in any order, each at most as often as it makes sense:
 *
 * <ul>
 *   <li>the payload, of whatever type the {@link io.delayqueue.spring.PayloadConverter} can read it as, generics included;
 *       {@code byte[]} and {@code String} get it untouched; {@code @Payload} may mark it. One at most;
 *   <li>{@link io.delayqueue.spring.DelayQueueMessage}{@code <T>}: payload, id, attempt, due time, headers …;
 *   <li>{@link org.springframework.messaging.Message}{@code <T>};
 *   <li>{@link org.springframework.messaging.handler.annotation.Header @Header}: a header by name, converted to the
 *       parameter's type; {@link io.delayqueue.spring.DelayQueueHeaders} names those that are always there;
 *   <li>{@link org.springframework.messaging.handler.annotation.Headers @Headers} {@code Map} or
 *       {@link org.springframework.messaging.MessageHeaders}: all headers;
 *   <li>{@link io.delayqueue.Delivery}: to retry later, dead-letter or extend the lease.
 * </ul>
 *
 * {@code @Valid} or {@code @Validated} on a payload, {@code DelayQueueMessage} or {@code Message} has the payload validated.
 * A message that can't be made into the arguments (not readable as the type, not valid, a required header missing) will
 * not get better by trying again: it is dead-lettered at once, with the reason.
 *
 * <p>Return types: {@code void}; {@link java.util.concurrent.CompletionStage} and Reactor's {@code Mono}, which are waited
 * for on the handler's thread while the lease is renewed, and whose value is ignored. Kotlin {@code suspend} functions are
 * not supported.
 *
 * <p>Every string may hold placeholders ({@code ${…}}) and SpEL ({@code #{…}}). One left empty takes the default of
 * {@code delayqueue.listener.*}. Durations are written {@code 30s}, {@code 500ms}, {@code 5m} or {@code PT30S}.
 *
 * <p>May be repeated to consume several topics, and put on annotations of one's own, with
 * {@link org.springframework.core.annotation.AliasFor} for attributes. What is wrong with a listener fails start-up with an
 * {@link io.delayqueue.spring.listener.InvalidListenerException} that names class, method and attribute.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
@Repeatable(DelayQueueListeners.class)
public @interface DelayQueueListener {

    /** The topic to consume: 1 to 200 characters, no braces, blanks or control characters. */
    String topic() default "";

    /** Name to find the listener by in {@link io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry}. Default: bean and method name. */
    String id() default "";

    /** Messages handled at the same time, 1 to 10,000. Default {@code delayqueue.listener.concurrency}. */
    String concurrency() default "";

    /**
     * How long a message stays out of reach when this process dies while handling it, 100 ms to a day. Renewed while the
     * method runs. Default {@code delayqueue.listener.lease}.
     */
    String lease() default "";

    /**
     * How long the method may take; then it is interrupted and the attempt has failed. Default
     * {@code delayqueue.listener.timeout}, and without that as long as it likes.
     */
    String timeout() default "";

    /** Attempts before a message is dead-lettered, 1 or more. Default {@code delayqueue.listener.max-attempts}. */
    String maxAttempts() default "";

    /** Delays between attempts. Default {@code delayqueue.listener.backoff}. */
    RetryBackoff backoff() default @RetryBackoff;

    /**
     * Failures worth another attempt: an exception that is one of these, or was caused by one. Empty: all. Others are
     * dead-lettered at once.
     */
    Class<? extends Throwable>[] retryFor() default {};

    /** Failures not worth another attempt, or caused by one; they go before {@link #retryFor()}. */
    Class<? extends Throwable>[] noRetryFor() default {};

    /** Whether to start with the application. Default {@code delayqueue.listener.auto-startup}. */
    String autoStartup() default "";
}
