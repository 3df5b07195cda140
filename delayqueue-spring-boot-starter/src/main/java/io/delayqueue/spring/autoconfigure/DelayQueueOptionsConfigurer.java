package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/**
 * Sets the options that the starter gives its own client. They are the properties {@code delayqueue.*}, all
 * {@link DelayQueueObserver} beans (meters and events among them), virtual threads where Boot has them on, and the
 * {@link DelayQueueOptionsCustomizer} beans. Inject it to define a {@link io.delayqueue.DelayQueueClient} of your own that
 * loses none of them:
 *
 * <pre>{@code
 * @Bean
 * DelayQueueClient delayQueueClient(RedisClient redis, DelayQueueOptionsConfigurer configurer) {
 *     return DelayQueueClient.create(redis, configurer.configure(DelayQueueOptions.builder()).build());
 * }
 * }</pre>
 */
public final class DelayQueueOptionsConfigurer {

    private final OptionsFromProperties properties;
    private final List<DelayQueueObserver> observers;
    private final ThreadFactory handlerThreads;
    private final List<DelayQueueOptionsCustomizer> customizers;

    DelayQueueOptionsConfigurer(
            OptionsFromProperties properties,
            List<DelayQueueObserver> observers,
            ThreadFactory handlerThreads,
            List<DelayQueueOptionsCustomizer> customizers) {
        this.properties = properties;
        this.observers = List.copyOf(observers);
        this.handlerThreads = handlerThreads;
        this.customizers = List.copyOf(customizers);
    }

    /**
     * Sets all options; those set after it replace them.
     *
     * @return the same builder
     * @throws org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException if a property has
     *     an invalid value
     */
    public DelayQueueOptions.Builder configure(DelayQueueOptions.Builder options) {
        properties.applyTo(options);
        options.observer(new ObserverChain(observers)).handlerThreadFactory(handlerThreads);
        customizers.forEach(customizer -> customizer.customize(options));
        return options;
    }
}
