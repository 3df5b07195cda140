package io.delayqueue.spring.listener;

import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.annotation.DelayQueueListeners;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/**
 * Finds {@link DelayQueueListener} methods and registers their endpoints: those of singletons once all singletons exist, those
 * of later beans at once. It runs after the post-processors that create proxies, so that calls go through the proxies.
 */
public final class DelayQueueListenerAnnotationBeanPostProcessor
        implements BeanPostProcessor, BeanFactoryAware, SmartInitializingSingleton {

    private static final RepeatableContainers REPEATABLE =
            RepeatableContainers.explicitRepeatable(DelayQueueListener.class, DelayQueueListeners.class);

    private final Set<Class<?>> withoutListeners = ConcurrentHashMap.newKeySet();
    private final Queue<DelayQueueListenerEndpoint> found = new ConcurrentLinkedQueue<>();
    private final Set<String> defaultIds = ConcurrentHashMap.newKeySet();
    private volatile @Nullable ConfigurableBeanFactory beanFactory;
    private volatile boolean singletonsReady;

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beanFactory = (ConfigurableBeanFactory) beanFactory;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean) {
            return bean;
        }
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        if (withoutListeners.contains(type) || !AnnotationUtils.isCandidateClass(type, DelayQueueListener.class)) {
            return bean;
        }
        Map<Method, List<DelayQueueListener>> methods =
                MethodIntrospector.selectMethods(type, DelayQueueListenerAnnotationBeanPostProcessor::annotationsOf);
        if (methods.isEmpty()) {
            withoutListeners.add(type);
        }
        methods.forEach((method, annotations) -> read(annotations, bean, beanName, method));
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        singletonsReady = true;
        withoutListeners.clear();
        registerFound();
    }

    private static @Nullable List<DelayQueueListener> annotationsOf(Method method) {
        List<DelayQueueListener> annotations =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY, REPEATABLE).stream(
                                DelayQueueListener.class)
                        .map(MergedAnnotation::synthesize)
                        .toList();
        return annotations.isEmpty() ? null : annotations;
    }

    private void read(List<DelayQueueListener> annotations, Object bean, String beanName, Method method) {
        Method invocable;
        try {
            invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        } catch (IllegalStateException e) {
            throw new InvalidListenerException(method, "method", String.valueOf(e.getMessage()), e);
        }
        ListenerAnnotationReader reader = new ListenerAnnotationReader(requireBeanFactory());
        for (DelayQueueListener annotation : annotations) {
            found.add(reader.read(annotation, bean, invocable, defaultId(beanName, invocable)));
        }
        if (singletonsReady) {
            registerFound();
        }
    }

    private String defaultId(String beanName, Method method) {
        String base = beanName + "." + method.getName();
        String id = base;
        for (int n = 2; !defaultIds.add(id); n++) {
            id = base + "#" + n;
        }
        return id;
    }

    private void registerFound() {
        ConfigurableBeanFactory beans = requireBeanFactory();
        DelayQueueListenerEndpoint endpoint;
        while ((endpoint = found.poll()) != null) {
            beans.getBean(DelayQueueListenerEndpointRegistry.class)
                    .register(endpoint, beans.getBean(DelayQueueListenerContainerFactory.class));
        }
    }

    private ConfigurableBeanFactory requireBeanFactory() {
        ConfigurableBeanFactory beans = beanFactory;
        if (beans == null) {
            throw new IllegalStateException("no bean factory was set");
        }
        return beans;
    }
}
