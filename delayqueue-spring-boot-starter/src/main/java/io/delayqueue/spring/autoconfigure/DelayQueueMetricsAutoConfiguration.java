package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.event.EventPublishingObserver;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.metrics.LatencyHistograms;
import io.delayqueue.spring.metrics.ListenerGauges;
import io.delayqueue.spring.metrics.ListenerTimerTopics;
import io.delayqueue.spring.metrics.MeterObserver;
import io.delayqueue.spring.metrics.MeteredTopics;
import io.delayqueue.spring.metrics.TopicGauges;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

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
@EnableConfigurationProperties(DelayQueueProperties.class)
public final class DelayQueueMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    MeteredTopics delayQueueMeteredTopics(DelayQueueProperties properties) {
        return new MeteredTopics(new OptionsFromProperties(properties).maxMeteredTopics());
    }

    @Bean
    @ConditionalOnMissingBean
    MeterObserver delayQueueMeterObserver(MeterRegistry registry, MeteredTopics topics) {
        return new MeterObserver(registry, topics);
    }

    /** The client is looked up at the first scrape: it needs this observer, so the observer can't need it. */
    @Bean
    @ConditionalOnMissingBean
    TopicGauges delayQueueTopicGauges(
            MeterRegistry registry, MeteredTopics metered, ObjectProvider<DelayQueueClient> client) {
        return new TopicGauges(registry, metered, topics -> client.getObject().stats(topics));
    }

    @Bean
    @ConditionalOnMissingBean
    ListenerGauges delayQueueListenerGauges(MeterRegistry registry, MeteredTopics metered) {
        return new ListenerGauges(registry, metered);
    }

    /** Spring Boot's meter registries take all filters that are beans. */
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBooleanProperty(name = "delayqueue.metrics.histograms", matchIfMissing = true)
    static LatencyHistograms delayQueueLatencyHistograms() {
        return new LatencyHistograms();
    }

    @Bean
    @ConditionalOnMissingBean
    ListenerTimerTopics delayQueueListenerTimerTopics(MeteredTopics metered) {
        return new ListenerTimerTopics(metered);
    }

    /** Listeners have their gauges before their first message, and precede other topics where these are limited. */
    @Bean
    SmartInitializingSingleton delayQueueGaugesOfListeners(
            TopicGauges gauges,
            ListenerGauges listenerGauges,
            ObjectProvider<DelayQueueListenerEndpointRegistry> registries,
            ObjectProvider<DelayQueueClient> client) {
        return () -> registries.ifAvailable(registry -> registry.onRegistration(container -> {
            if (container.client() == client.getIfAvailable()) {
                gauges.register(container.topic());
            }
            listenerGauges.register(container);
        }));
    }

    @Bean
    SmartInitializingSingleton delayQueueDroppedEventsMeter(
            MeterRegistry registry, ObjectProvider<EventPublishingObserver> observers) {
        return () -> observers.ifAvailable(observer -> FunctionCounter.builder(
                        "delayqueue.events.dropped", observer, EventPublishingObserver::dropped)
                .description("Application events dropped because event listeners were too slow")
                .register(registry));
    }
}
