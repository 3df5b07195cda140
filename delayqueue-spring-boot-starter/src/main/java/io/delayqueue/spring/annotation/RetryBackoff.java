package io.delayqueue.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Delays between the attempts of a {@link DelayQueueListener}: growing ones, or a list. What is left empty is as in
 * {@code delayqueue.listener.backoff.*}; growing ones given here replace a list given there.
 */
@Target({})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface RetryBackoff {

    /** Delay after the first attempt, such as {@code 1s}. */
    String initial() default "";

    /** Growth per attempt, at least 1; 1 for a fixed delay. */
    String multiplier() default "";

    /** The longest delay. */
    String max() default "";

    /** Share of the delay, 0 to 1, by which it is varied at random. */
    String jitter() default "";

    /**
     * One delay after each attempt in turn, the last one for all further ones; instead of the growing ones. An element may
     * hold several, separated by commas.
     */
    String[] delays() default {};
}
