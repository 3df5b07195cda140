package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.health.DelayQueueHealthIndicator;
import io.delayqueue.spring.testsupport.Contexts;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.util.TestSocketUtils;

class DelayQueueHealthContributorAutoConfigurationTests {

    private final ApplicationContextRunner runner = Contexts.runner(TestSocketUtils.findAvailableTcpPort())
            .withConfiguration(AutoConfigurations.of(DelayQueueHealthContributorAutoConfiguration.class));

    @Test
    void indicatorIsDefined() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(DelayQueueHealthIndicator.class)
                .hasBean("delayqueueHealthIndicator"));
    }

    @Test
    void indicatorCanBeSwitchedOff() {
        runner.withPropertyValues("management.health.delayqueue.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(DelayQueueHealthIndicator.class));
    }

    @Test
    void indicatorBacksOffWhenUserDefinesOne() {
        runner.withBean(
                        "delayqueueHealthIndicator",
                        HealthIndicator.class,
                        () -> () -> Health.up().build())
                .run(context -> assertThat(context).doesNotHaveBean(DelayQueueHealthIndicator.class));
    }

    @Test
    void noIndicatorWithoutTheHealthModule() {
        runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("delayqueueHealthIndicator"));
    }

    @Test
    void noIndicatorWhenDisabled() {
        runner.withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(DelayQueueHealthIndicator.class));
    }

    @Test
    void thresholdMustBePositive() {
        runner.withPropertyValues("delayqueue.health.overdue-threshold=0s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining("delayqueue.health.overdue-threshold"));
    }
}
