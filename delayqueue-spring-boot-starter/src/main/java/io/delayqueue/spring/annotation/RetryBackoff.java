package io.delayqueue.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Delays between the attempts of a {@link DelayQueueListener}: growing ones, or a list. An empty attribute takes the default of
 * {@code delayqueue.listener.backoff.*}. Growing delays set here take precedence over a list set there.
 */
@Target({})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface RetryBackoff {

    /** Delay after the first attempt, such as {@code 1s}. */
    String initial() default "";

    /** Growth per attempt, at least 1; 1 for a fixed delay. */
    String multiplier() default "";

    /** Maximum delay. */
    String max() default "";

    /** Share of the delay, 0 to 1, by which it varies at random. */
    String jitter() default "";

    /**
     * Delay after the first attempt, the second and so on, instead of growing delays; the last one applies to all further
     * attempts. An element may hold several delays, separated by commas.
     */
    String[] delays() default {};
}
