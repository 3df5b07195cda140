package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.metrics.MeterObserver;
import io.delayqueue.spring.metrics.TopicGauges;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.ContextRefreshedEvent;

/** Auto-configuration of meters for messages and topics. */
@AutoConfiguration(
        before = DelayQueueAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
public final class DelayQueueMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    MeterObserver delayQueueMeterObserver(MeterRegistry registry) {
        return new MeterObserver(registry);
    }

    /** The client is looked up at the first scrape: it needs this observer, so the observer can't need it. */
    @Bean
    @ConditionalOnMissingBean
    TopicGauges delayQueueTopicGauges(MeterRegistry registry, ObjectProvider<DelayQueueClient> client) {
        return new TopicGauges(registry, topics -> client.getObject().stats(topics));
    }

    @Bean
    ApplicationListener<ContextRefreshedEvent> delayQueueGaugesOfListeners(
            TopicGauges gauges, ObjectProvider<DelayQueueListenerEndpointRegistry> registries) {
        return event -> registries.ifAvailable(
                registry -> registry.containers().forEach(container -> gauges.register(container.topic())));
    }
}
