package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.actuate.DelayQueueEndpoint;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the actuator endpoint. */
@AutoConfiguration(after = DelayQueueListenerAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean({DelayQueueClient.class, DelayQueueListenerEndpointRegistry.class})
@ConditionalOnAvailableEndpoint(DelayQueueEndpoint.class)
public final class DelayQueueEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    DelayQueueEndpoint delayQueueEndpoint(
            DelayQueueClient client, DelayQueueListenerEndpointRegistry listeners, DelayQueueProperties properties) {
        return new DelayQueueEndpoint(
                client, listeners, properties.getEndpoint().isShowPayload());
    }
}
