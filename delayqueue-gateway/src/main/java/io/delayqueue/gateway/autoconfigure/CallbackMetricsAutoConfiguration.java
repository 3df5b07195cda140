package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.gateway.callback.CallbackConfiguration;
import io.delayqueue.gateway.callback.CallbackTargets;
import io.delayqueue.gateway.metrics.CallbackMeters;
import io.delayqueue.spring.metrics.TopicGauges;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the callbacks' meters. */
@AutoConfiguration(
        after = CallbacksAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, CallbackTargets.class})
public final class CallbackMetricsAutoConfiguration {

    /** One of the observers of callbacks. */
    @Bean
    @ConditionalOnMissingBean
    CallbackMeters delayQueueCallbackMeters(MeterRegistry registry) {
        return new CallbackMeters(registry);
    }

    /** The targets need the observers, so the meters can't need the targets. */
    @Bean
    SmartInitializingSingleton delayQueueCallbackTargetGauges(CallbackMeters meters, CallbackTargets targets) {
        return () -> meters.bindTo(targets);
    }

    /** They have their gauges before their first message, as topics of listeners do. */
    @Bean
    SmartInitializingSingleton delayQueueGaugesOfCallbackTopics(
            CallbackConfiguration configuration, ObjectProvider<TopicGauges> gauges) {
        return () -> gauges.ifAvailable(present -> configuration.topicNames().forEach(present::register));
    }
}
