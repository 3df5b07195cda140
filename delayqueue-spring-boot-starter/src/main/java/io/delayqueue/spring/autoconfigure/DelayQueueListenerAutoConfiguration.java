package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.PayloadConverter;
import io.delayqueue.spring.listener.AnnotatedMethods;
import io.delayqueue.spring.listener.DelayQueueInterceptor;
import io.delayqueue.spring.listener.DelayQueueListenerAnnotationBeanPostProcessor;
import io.delayqueue.spring.listener.DelayQueueListenerContainerFactory;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.listener.DestroyedBeansPostProcessor;
import io.delayqueue.spring.listener.FailureLog;
import io.delayqueue.spring.listener.ListenerDecorator;
import io.delayqueue.spring.listener.ListenerErrorHandler;
import io.delayqueue.spring.listener.ListenerMethods;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.validation.Validator;

/** Auto-configuration of {@code @DelayQueueListener} methods. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
public final class DelayQueueListenerAutoConfiguration {

    private static final String REGISTRY = "delayQueueListenerEndpointRegistry";

    /** Of infrastructure's role, since post-processors of beans need it. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AnnotatedMethods delayQueueAnnotatedMethods() {
        return new AnnotatedMethods();
    }

    @Bean
    static LazyInitializationExcludeFilter delayQueueListenersAreNotLazy(AnnotatedMethods annotatedMethods) {
        return new ListenersAreNotLazy(annotatedMethods);
    }

    @Bean
    static DelayQueueListenerAnnotationBeanPostProcessor delayQueueListenerAnnotationBeanPostProcessor(
            AnnotatedMethods annotatedMethods) {
        return new DelayQueueListenerAnnotationBeanPostProcessor(annotatedMethods);
    }

    @Bean
    static DestroyedBeansPostProcessor delayQueueDestroyedBeansPostProcessor(AnnotatedMethods annotatedMethods) {
        return new DestroyedBeansPostProcessor(annotatedMethods, REGISTRY);
    }

    @Bean(REGISTRY)
    DelayQueueListenerEndpointRegistry delayQueueListenerEndpointRegistry() {
        return new DelayQueueListenerEndpointRegistry();
    }

    @Bean
    @ConditionalOnMissingBean
    ListenerErrorHandler delayQueueListenerErrorHandler() {
        return ListenerErrorHandler.RETHROW;
    }

    @Bean
    @ConditionalOnMissingBean
    FailureLog delayQueueFailureLog(DelayQueueProperties properties) {
        return new FailureLog(properties.getListener().getLogFailures());
    }

    @Bean
    ListenerMethods delayQueueListenerMethods(
            PayloadConverter converter, ObjectProvider<Validator> validators, ConfigurableBeanFactory beanFactory) {
        return new ListenerMethods(converter, validators.getIfUnique(), beanFactory);
    }

    @Bean
    DelayQueueListenerContainerFactoryConfigurer delayQueueListenerContainerFactoryConfigurer(
            DelayQueueProperties properties,
            ListenerErrorHandler errorHandler,
            ObjectProvider<DelayQueueInterceptor> interceptors,
            ObjectProvider<ListenerDecorator> decorators) {
        return new DelayQueueListenerContainerFactoryConfigurer(
                new OptionsFromProperties(properties).listenerSettings(),
                errorHandler,
                interceptors.orderedStream().toList(),
                decorators.orderedStream().toList());
    }

    /** A child context has one of its own, so that its interceptors are called. */
    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    DelayQueueListenerContainerFactory delayQueueListenerContainerFactory(
            DelayQueueClient client, ListenerMethods methods, DelayQueueListenerContainerFactoryConfigurer configurer) {
        DelayQueueListenerContainerFactory factory = new DelayQueueListenerContainerFactory(client, methods);
        configurer.configure(factory);
        return factory;
    }
}
