package io.delayqueue.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Marks a method that handles the messages of a topic once they are due. Returning acks the message. Throwing retries it after
 * the backoff, or dead-letters it after its last attempt. A message can be delivered more than once: be idempotent, or let
 * {@link #idempotent()} see to it.
 *
 * <p>The method may belong to any bean. It may have any visibility; on a proxied bean it must not be private. The listener ends
 * when its bean is destroyed. While a listener runs, the process stays alive, even without a web server.
 *
 * <p>Accepted parameters, in any order:
 *
 * <ul>
 *   <li>the payload, at most once: any type that the {@link io.delayqueue.spring.PayloadConverter} can read, generics included.
 *       {@code byte[]} and {@code String} get the stored bytes unchanged. {@code @Payload} is optional;
 *   <li>{@link io.delayqueue.spring.DelayQueueMessage}{@code <T>}: payload with id, attempt, due time and headers;
 *   <li>{@link org.springframework.messaging.Message}{@code <T>}: payload with headers;
 *   <li>{@link org.springframework.messaging.handler.annotation.Header @Header}: one header, converted to the parameter's type;
 *       {@link io.delayqueue.spring.DelayQueueHeaders} names those that every message has;
 *   <li>{@link org.springframework.messaging.handler.annotation.Headers @Headers} {@code Map} or
 *       {@link org.springframework.messaging.MessageHeaders}: all headers;
 *   <li>{@link io.delayqueue.Delivery}: retries later, dead-letters, or extends the lease.
 * </ul>
 *
 * <p>{@code @Valid} or {@code @Validated} on a payload, {@code DelayQueueMessage} or {@code Message} validates the payload. A
 * message that does not fit the parameters (it can't be read as the type, is not valid, or lacks a required header) is
 * dead-lettered at once with the reason, since another attempt would fail the same way. Any other failure before the call, such
 * as of a converter whose registry is unavailable, is retried like one of the method.
 *
 * <p>Accepted return types:
 *
 * <ul>
 *   <li>{@code void};
 *   <li>{@link java.util.concurrent.CompletionStage} and Reactor's {@code Mono}: the handler's thread waits for the result while
 *       the lease is renewed. A failure counts as thrown, a value is ignored.
 * </ul>
 *
 * <p>An {@code @Async} method must return a {@link java.util.concurrent.CompletableFuture}: as {@code void}, it would return, and
 * its message be acked, before its work is done.
 *
 * <p>Kotlin {@code suspend} functions are not supported.
 *
 * <p>Every string may contain placeholders ({@code ${…}}) and SpEL ({@code #{…}}). An empty string takes the default of
 * {@code delayqueue.listener.*}. Durations are written {@code 30s}, {@code 500ms}, {@code 5m} or {@code PT30S}.
 *
 * <p>The annotation may be repeated to consume several topics, and used as a meta-annotation with
 * {@link org.springframework.core.annotation.AliasFor} for attributes. An invalid listener fails the start with an
 * {@link io.delayqueue.spring.listener.InvalidListenerException} that names class, method and attribute. Listeners of one topic
 * whose settings contradict each other are logged as a warning.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
@Repeatable(DelayQueueListeners.class)
public @interface DelayQueueListener {

    /** Topic to consume: 1 to 200 characters, no braces, blanks or control characters. */
    String topic() default "";

    /**
     * Id of the listener in {@link io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry}. Default: bean and method
     * name.
     */
    String id() default "";

    /** Number of messages handled at the same time, 1 to 10,000. Default {@code delayqueue.listener.concurrency}. */
    String concurrency() default "";

    /**
     * Time after which another consumer gets the message if this process crashes, 100 ms to a day. Renewed while the method
     * runs. Default {@code delayqueue.listener.lease}.
     */
    String lease() default "";

    /**
     * Longest time the method may take; then it is interrupted and the attempt fails. {@code none} or {@code 0} for no limit.
     * Default {@code delayqueue.listener.timeout}; no limit if that is not set.
     */
    String timeout() default "";

    /**
     * Number of attempts before a message is dead-lettered, 1 to 1,000,000. {@link io.delayqueue.Delivery#retryAfter} uses one up.
     * Default {@code delayqueue.listener.max-attempts} (3), which with the default backoff are used up after about 3 s.
     */
    String maxAttempts() default "";

    /** Delays between attempts. Default {@code delayqueue.listener.backoff}. */
    RetryBackoff backoff() default @RetryBackoff;

    /**
     * Failures that get another attempt: an exception of one of these types, or caused by one. A message that fails otherwise
     * is dead-lettered at once. Empty: all failures get another attempt. Judges what the method throws: a timeout, or a converter
     * or interceptor that fails, gets another attempt anyway.
     */
    Class<? extends Throwable>[] retryFor() default {};

    /**
     * Failures that get no other attempt, or are caused by one of them. Takes precedence over {@link #retryFor()}. Judges what the
     * method throws, too.
     */
    Class<? extends Throwable>[] noRetryFor() default {};

    /**
     * Name of the {@link io.delayqueue.spring.listener.DelayQueueListenerContainerFactory} bean that creates the listener's
     * container, for a listener of another Redis server. Default: the application's.
     */
    String containerFactory() default "";

    /**
     * Whether a handled message that is delivered again is acked without a call of the method, such as after a crash between handler and
     * ack. Topic, id, generation and listener are recorded in the database transaction that the method's own work belongs to,
     * so that work is committed once. A {@code retryAfter}, {@code postpone}, {@code deadLetter} and a failure record nothing.
     *
     * <p>Needs {@code delayqueue-jdbc} with a {@code DataSource}, and a method that returns {@code void}. The method's transaction is
     * begun for it, so it needs no {@code @Transactional}, but may have one that joins. Give such a listener an {@link #id()}: the default
     * id changes when the method is renamed, and a listener with another id handles redelivered messages again.
     */
    boolean idempotent() default false;

    /** Whether to start with the application. Default {@code delayqueue.listener.auto-startup}. */
    String autoStartup() default "";
}
