package io.delayqueue.spring.autoconfigure;

import io.delayqueue.spring.listener.AnnotatedMethods;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.util.ClassUtils;

/** Excludes beans with listener methods from {@code spring.main.lazy-initialization}, since nothing else would create them. */
final class ListenersAreNotLazy implements LazyInitializationExcludeFilter {

    private final AnnotatedMethods annotatedMethods;

    ListenersAreNotLazy(AnnotatedMethods annotatedMethods) {
        this.annotatedMethods = annotatedMethods;
    }

    @Override
    public boolean isExcluded(String beanName, BeanDefinition beanDefinition, Class<?> beanType) {
        return annotatedMethods.areIn(ClassUtils.getUserClass(beanType));
    }
}
