package io.delayqueue.spring.listener;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;

/**
 * Ends the listeners of a bean that is destroyed, such as one of a custom scope. Spring calls it before {@code @PreDestroy}
 * methods, so no handler runs on a destroyed bean.
 */
public final class DestroyedBeansPostProcessor implements DestructionAwareBeanPostProcessor, BeanFactoryAware {

    private final AnnotatedMethods annotatedMethods;
    private final String registryName;
    private volatile @Nullable ConfigurableBeanFactory beanFactory;

    /**
     * A post-processor of beans with listener methods.
     *
     * @param annotatedMethods finds listener methods
     * @param registryName name of the registry's bean
     */
    public DestroyedBeansPostProcessor(AnnotatedMethods annotatedMethods, String registryName) {
        this.annotatedMethods = annotatedMethods;
        this.registryName = registryName;
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beanFactory = (ConfigurableBeanFactory) beanFactory;
    }

    @Override
    public boolean requiresDestruction(Object bean) {
        return annotatedMethods.areIn(AopProxyUtils.ultimateTargetClass(bean));
    }

    @Override
    public void postProcessBeforeDestruction(Object bean, String beanName) {
        ConfigurableBeanFactory beans = beanFactory;
        // no bean may be created now
        Object registry = beans == null ? null : beans.getSingleton(registryName);
        if (registry instanceof DelayQueueListenerEndpointRegistry listeners) {
            listeners.unregisterListenersOf(bean);
        }
    }
}
