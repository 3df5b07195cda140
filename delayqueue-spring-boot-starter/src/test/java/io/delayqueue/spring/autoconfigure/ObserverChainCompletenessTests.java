package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueObserver;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ObserverChainCompletenessTests {

    /** An event that the chain leaves to its default would reach observers as another one, or not at all. */
    @Test
    void everyEventIsPassedOnAsItself() {
        assertThat(Arrays.stream(DelayQueueObserver.class.getDeclaredMethods())
                        .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic())
                        .filter(method -> !isOverridden(method)))
                .isEmpty();
    }

    private static boolean isOverridden(Method event) {
        return Arrays.stream(ObserverChain.class.getDeclaredMethods())
                .anyMatch(method -> method.getName().equals(event.getName())
                        && Arrays.equals(method.getParameterTypes(), event.getParameterTypes()));
    }
}
