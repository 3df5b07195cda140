package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.health.DelayQueueHealthIndicator;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health indicator. */
@AutoConfiguration(after = DelayQueueListenerAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean({DelayQueueClient.class, DelayQueueListenerEndpointRegistry.class})
@ConditionalOnEnabledHealthIndicator("delayqueue")
public final class DelayQueueHealthContributorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(
            name = {"delayqueueHealthIndicator", "delayqueueHealthContributor"},
            search = SearchStrategy.CURRENT)
    DelayQueueHealthIndicator delayqueueHealthIndicator(
            DelayQueueClient client,
            ApplicationContext context,
            DelayQueueListenerEndpointRegistry listeners,
            DelayQueueProperties properties) {
        return new DelayQueueHealthIndicator(
                ClientBeans.of(context, client).values(),
                listeners,
                new OptionsFromProperties(properties).overdueThreshold());
    }
}
