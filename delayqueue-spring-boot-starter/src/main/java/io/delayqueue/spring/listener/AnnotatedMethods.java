package io.delayqueue.spring.listener;

import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.annotation.DelayQueueListeners;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/** Finds the {@link DelayQueueListener} methods of classes. Remembers classes without any. Safe for use by several threads. */
public final class AnnotatedMethods {

    private static final RepeatableContainers REPEATABLE =
            RepeatableContainers.explicitRepeatable(DelayQueueListener.class, DelayQueueListeners.class);

    private final Set<Class<?>> withoutListeners = ConcurrentHashMap.newKeySet();

    /** Whether the class has a listener method, inherited ones included. */
    public boolean areIn(Class<?> type) {
        return !of(type).isEmpty();
    }

    /** The listener methods of the class, each with its annotations. */
    Map<Method, List<DelayQueueListener>> of(Class<?> type) {
        if (withoutListeners.contains(type) || !AnnotationUtils.isCandidateClass(type, DelayQueueListener.class)) {
            return Map.of();
        }
        Map<Method, List<DelayQueueListener>> methods =
                MethodIntrospector.selectMethods(type, AnnotatedMethods::annotationsOf);
        if (methods.isEmpty()) {
            withoutListeners.add(type);
        }
        return methods;
    }

    private static @Nullable List<DelayQueueListener> annotationsOf(Method method) {
        List<DelayQueueListener> annotations =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY, REPEATABLE).stream(
                                DelayQueueListener.class)
                        .map(MergedAnnotation::synthesize)
                        .toList();
        return annotations.isEmpty() ? null : annotations;
    }
}
