package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.observation.ObservedListeners;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class DelayQueueObservationAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DelayQueueObservationAutoConfiguration.class))
            .withBean(ObservationRegistry.class, ObservationRegistry::create);

    @Test
    void listenersAreObservedWithARegistry() {
        runner.run(context -> assertThat(context).hasSingleBean(ObservedListeners.class));
    }

    @Test
    void observationBacksOffWhenUserDefinesIt() {
        ObservedListeners own = new ObservedListeners(ObservationRegistry.NOOP);
        runner.withBean("own", ObservedListeners.class, () -> own)
                .run(context ->
                        assertThat(context).getBean(ObservedListeners.class).isSameAs(own));
    }

    @Test
    void listenersAreNotObservedWithoutARegistry() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(DelayQueueObservationAutoConfiguration.class))
                .run(context -> assertThat(context).doesNotHaveBean(ObservedListeners.class));
    }

    @Test
    void listenersAreNotObservedWithoutMicrometer() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(DelayQueueObservationAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ObservedListeners.class));
    }

    @Test
    void listenersAreNotObservedWhenDisabled() {
        runner.withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(ObservedListeners.class));
    }
}
