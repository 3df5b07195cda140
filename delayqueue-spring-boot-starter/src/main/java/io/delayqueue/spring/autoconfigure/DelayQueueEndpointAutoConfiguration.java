package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.actuate.DelayQueueEndpoint;
import io.delayqueue.spring.actuate.DelayQueueEndpointWebExtension;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the actuator endpoint. */
@AutoConfiguration(after = DelayQueueListenerAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean({DelayQueueClient.class, DelayQueueListenerEndpointRegistry.class})
@ConditionalOnAvailableEndpoint(DelayQueueEndpoint.class)
@EnableConfigurationProperties(DelayQueueEndpointProperties.class)
public final class DelayQueueEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    DelayQueueEndpoint delayQueueEndpoint(
            DelayQueueClient client,
            DelayQueueListenerEndpointRegistry listeners,
            ObjectProvider<SanitizingFunction> sanitizingFunctions,
            DelayQueueEndpointProperties properties) {
        return new DelayQueueEndpoint(
                client, listeners, sanitizingFunctions.orderedStream().toList(), properties.getShowValues());
    }

    @Bean
    @ConditionalOnBean(value = DelayQueueEndpoint.class, search = SearchStrategy.CURRENT)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    DelayQueueEndpointWebExtension delayQueueEndpointWebExtension(
            DelayQueueEndpoint endpoint, DelayQueueEndpointProperties properties) {
        return new DelayQueueEndpointWebExtension(endpoint, properties.getShowValues(), properties.getRoles());
    }
}
