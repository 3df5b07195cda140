package io.delayqueue.spring.listener;

import io.delayqueue.spring.annotation.DelayQueueListener;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Finds {@link DelayQueueListener} methods and registers their endpoints: those of singletons once all singletons exist, those
 * of later beans at once. It runs after the post-processors that create proxies, so that calls go through the proxies.
 */
public final class DelayQueueListenerAnnotationBeanPostProcessor
        implements BeanPostProcessor, BeanFactoryAware, SmartInitializingSingleton {

    private final AnnotatedMethods annotatedMethods;
    private final Queue<List<Found>> found = new ConcurrentLinkedQueue<>();
    private volatile @Nullable ConfigurableBeanFactory beanFactory;
    private volatile boolean singletonsReady;

    /** A post-processor that finds methods with this. */
    public DelayQueueListenerAnnotationBeanPostProcessor(AnnotatedMethods annotatedMethods) {
        this.annotatedMethods = annotatedMethods;
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beanFactory = (ConfigurableBeanFactory) beanFactory;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean) {
            return bean;
        }
        List<Found> listeners = new ArrayList<>();
        annotatedMethods
                .of(AopProxyUtils.ultimateTargetClass(bean))
                .forEach((method, annotations) -> listeners.addAll(read(annotations, bean, beanName, method)));
        if (singletonsReady) {
            register(listeners);
        } else if (!listeners.isEmpty()) {
            found.add(listeners);
            // singletons may have become ready meanwhile, on another thread
            if (singletonsReady) {
                registerFound();
            }
        }
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        singletonsReady = true;
        registerFound();
    }

    private List<Found> read(List<DelayQueueListener> annotations, Object bean, String beanName, Method method) {
        Method invocable;
        try {
            invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        } catch (IllegalStateException e) {
            throw new InvalidListenerException(method, "method", String.valueOf(e.getMessage()), e);
        }
        ListenerAnnotationReader reader = new ListenerAnnotationReader(requireBeanFactory());
        String defaultId = defaultId(beanName, invocable);
        return annotations.stream()
                .map(annotation -> {
                    DelayQueueListenerEndpoint endpoint = reader.read(annotation, bean, invocable, defaultId);
                    String containerFactory = reader.containerFactory(annotation, invocable);
                    return new Found(endpoint, endpoint.id().equals(defaultId), containerFactory);
                })
                .toList();
    }

    private static String defaultId(String beanName, Method method) {
        String name =
                ScopedProxyUtils.isScopedTarget(beanName) ? ScopedProxyUtils.getOriginalBeanName(beanName) : beanName;
        return name + "." + method.getName();
    }

    private void registerFound() {
        List<Found> listeners;
        while ((listeners = found.poll()) != null) {
            register(listeners);
        }
    }

    /** Registers the listeners of a bean: all or, with an exception, none. */
    private void register(List<Found> listeners) {
        if (listeners.isEmpty()) {
            return;
        }
        ConfigurableBeanFactory beans = requireBeanFactory();
        DelayQueueListenerEndpointRegistry registry = beans.getBean(DelayQueueListenerEndpointRegistry.class);
        List<DelayQueueListenerContainer> registered = new ArrayList<>();
        try {
            for (Found listener : listeners) {
                DelayQueueListenerContainerFactory factory = containerFactory(beans, listener);
                registered.add(
                        listener.hasDefaultId
                                ? registry.registerWithFreeId(listener.endpoint, factory)
                                : registry.register(listener.endpoint, factory));
            }
        } catch (RuntimeException e) {
            registered.forEach(container -> registry.unregister(container.id()));
            throw e;
        }
    }

    private static DelayQueueListenerContainerFactory containerFactory(ConfigurableBeanFactory beans, Found listener) {
        String name = listener.containerFactory;
        if (name.isBlank()) {
            return beans.getBean(DelayQueueListenerContainerFactory.class);
        }
        try {
            return beans.getBean(name, DelayQueueListenerContainerFactory.class);
        } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException e) {
            throw new InvalidListenerException(
                    listener.endpoint.method(),
                    "containerFactory",
                    "there is no DelayQueueListenerContainerFactory bean named '" + name + "'",
                    e);
        }
    }

    private ConfigurableBeanFactory requireBeanFactory() {
        ConfigurableBeanFactory beans = beanFactory;
        if (beans == null) {
            throw new IllegalStateException("no bean factory was set");
        }
        return beans;
    }

    /** A listener that is not yet registered; the name of its container factory is blank for the application's. */
    private record Found(DelayQueueListenerEndpoint endpoint, boolean hasDefaultId, String containerFactory) {}
}
