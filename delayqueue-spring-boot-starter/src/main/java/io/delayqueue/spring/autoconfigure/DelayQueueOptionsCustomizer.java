package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueOptions;

/**
 * Changes the options of the {@link io.delayqueue.DelayQueueClient} after those of {@code delayqueue.*} are set. All beans of
 * this type are called in order, also for a client of the application's own; see {@link DelayQueueOptionsConfigurer}.
 */
@FunctionalInterface
public interface DelayQueueOptionsCustomizer {

    /** Changes the options. */
    void customize(DelayQueueOptions.Builder options);
}
