package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.metrics.MeterObserver;
import io.delayqueue.spring.metrics.MeteredTopics;
import io.delayqueue.spring.metrics.TopicGauges;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class DelayQueueMetricsAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DelayQueueMetricsAutoConfiguration.class));

    @Test
    void metersAreDefinedWithARegistry() {
        runner.withBean(SimpleMeterRegistry.class)
                .run(context ->
                        assertThat(context).hasSingleBean(MeterObserver.class).hasSingleBean(TopicGauges.class));
    }

    @Test
    void metersBackOffWhenUserDefinesThem() {
        MeterObserver own = new MeterObserver(new SimpleMeterRegistry(), new MeteredTopics(1));
        TopicGauges ownGauges = new TopicGauges(new SimpleMeterRegistry(), new MeteredTopics(1), topics -> Map.of());
        runner.withBean(SimpleMeterRegistry.class)
                .withBean("own", MeterObserver.class, () -> own)
                .withBean("ownGauges", TopicGauges.class, () -> ownGauges)
                .run(context -> {
                    assertThat(context).getBean(MeterObserver.class).isSameAs(own);
                    assertThat(context).getBean(TopicGauges.class).isSameAs(ownGauges);
                });
    }

    @Test
    void noMetersWithoutARegistry() {
        runner.run(context -> assertThat(context).doesNotHaveBean(MeterObserver.class));
    }

    @Test
    void noMetersWithoutMicrometer() {
        runner.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MeterObserver.class));
    }

    @Test
    void noMetersWhenDisabled() {
        runner.withBean(SimpleMeterRegistry.class)
                .withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(MeterObserver.class));
    }

    @Test
    void limitOfTopicsMustNotBeNegative() {
        runner.withBean(SimpleMeterRegistry.class)
                .withPropertyValues("delayqueue.metrics.max-topics=-1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining("delayqueue.metrics.max-topics"));
    }
}
