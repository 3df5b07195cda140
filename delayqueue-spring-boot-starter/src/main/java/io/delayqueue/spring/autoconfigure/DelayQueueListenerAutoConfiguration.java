package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.PayloadConverter;
import io.delayqueue.spring.listener.DelayQueueInterceptor;
import io.delayqueue.spring.listener.DelayQueueListenerAnnotationBeanPostProcessor;
import io.delayqueue.spring.listener.DelayQueueListenerContainerFactory;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.listener.ListenerErrorHandler;
import io.delayqueue.spring.listener.ListenerMethods;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.validation.Validator;

/** Auto-configuration of {@code @DelayQueueListener} methods. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
public final class DelayQueueListenerAutoConfiguration {

    @Bean
    static DelayQueueListenerAnnotationBeanPostProcessor delayQueueListenerAnnotationBeanPostProcessor() {
        return new DelayQueueListenerAnnotationBeanPostProcessor();
    }

    @Bean
    DelayQueueListenerEndpointRegistry delayQueueListenerEndpointRegistry(DelayQueueProperties properties) {
        return new DelayQueueListenerEndpointRegistry(properties.getShutdownTimeout());
    }

    @Bean
    @ConditionalOnMissingBean
    ListenerErrorHandler delayQueueListenerErrorHandler() {
        return ListenerErrorHandler.RETHROW;
    }

    @Bean
    ListenerMethods delayQueueListenerMethods(
            PayloadConverter converter, ObjectProvider<Validator> validators, ConfigurableBeanFactory beanFactory) {
        return new ListenerMethods(converter, validators.getIfUnique(), beanFactory);
    }

    @Bean
    @ConditionalOnMissingBean
    DelayQueueListenerContainerFactory delayQueueListenerContainerFactory(
            DelayQueueClient client,
            ListenerMethods methods,
            ListenerErrorHandler errorHandler,
            ObjectProvider<DelayQueueInterceptor> interceptors,
            DelayQueueProperties properties) {
        DelayQueueListenerContainerFactory factory = new DelayQueueListenerContainerFactory(
                client, methods, errorHandler, interceptors.orderedStream().toList());
        factory.setDefaults(new OptionsFromProperties(properties).listenerSettings());
        return factory;
    }
}
