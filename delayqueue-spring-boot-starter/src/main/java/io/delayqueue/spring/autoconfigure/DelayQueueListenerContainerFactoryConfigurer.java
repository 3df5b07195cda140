package io.delayqueue.spring.autoconfigure;

import io.delayqueue.spring.listener.DelayQueueInterceptor;
import io.delayqueue.spring.listener.DelayQueueListenerContainerFactory;
import io.delayqueue.spring.listener.ListenerDecorator;
import io.delayqueue.spring.listener.ListenerErrorHandler;
import io.delayqueue.spring.listener.ListenerSettings;
import java.util.List;

/**
 * Sets up a container factory as the starter's own. It has the defaults of {@code delayqueue.listener.*}, the
 * {@link ListenerErrorHandler} bean, all {@link DelayQueueInterceptor} beans, the observation of listeners among them, and all
 * {@link ListenerDecorator} beans.
 * Inject it to define a {@link DelayQueueListenerContainerFactory} of your own that loses none of them:
 *
 * <pre>{@code
 * @Bean
 * DelayQueueListenerContainerFactory containerFactory(
 *         DelayQueueClient client, ListenerMethods methods, DelayQueueListenerContainerFactoryConfigurer configurer) {
 *     DelayQueueListenerContainerFactory factory = new DelayQueueListenerContainerFactory(client, methods);
 *     configurer.configure(factory);
 *     factory.setErrorHandler(...);
 *     return factory;
 * }
 * }</pre>
 */
public final class DelayQueueListenerContainerFactoryConfigurer {

    private final ListenerSettings defaults;
    private final ListenerErrorHandler errorHandler;
    private final List<DelayQueueInterceptor> interceptors;
    private final List<ListenerDecorator> decorators;

    DelayQueueListenerContainerFactoryConfigurer(
            ListenerSettings defaults,
            ListenerErrorHandler errorHandler,
            List<DelayQueueInterceptor> interceptors,
            List<ListenerDecorator> decorators) {
        this.defaults = defaults;
        this.errorHandler = errorHandler;
        this.interceptors = List.copyOf(interceptors);
        this.decorators = List.copyOf(decorators);
    }

    /** Sets defaults, error handler, interceptors and decorators; those set after it replace them. */
    public void configure(DelayQueueListenerContainerFactory factory) {
        factory.setDefaults(defaults);
        factory.setErrorHandler(errorHandler);
        factory.setInterceptors(interceptors);
        factory.setDecorators(decorators);
    }
}
