package io.delayqueue.spring.autoconfigure;

import io.delayqueue.spring.actuate.DelayQueueEndpoint;
import io.delayqueue.spring.actuate.DelayQueueEndpointWebExtension;
import io.delayqueue.spring.actuate.DelayQueueEndpointWebExtension.WebRoles;
import io.delayqueue.spring.actuate.IdList;
import io.delayqueue.spring.operator.DelayQueueOperator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.EndpointConverter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the actuator endpoint. */
@AutoConfiguration(after = DelayQueueOperatorAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(DelayQueueOperator.class)
@ConditionalOnAvailableEndpoint(DelayQueueEndpoint.class)
@EnableConfigurationProperties(DelayQueueEndpointProperties.class)
public final class DelayQueueEndpointAutoConfiguration {

    @Bean
    @EndpointConverter
    IdList.FromText delayQueueIdListConverter() {
        return new IdList.FromText();
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    DelayQueueEndpoint delayQueueEndpoint(
            DelayQueueOperator operator,
            ObjectProvider<SanitizingFunction> sanitizingFunctions,
            DelayQueueEndpointProperties properties) {
        return new DelayQueueEndpoint(
                operator, sanitizingFunctions.orderedStream().toList(), properties.getShowValues());
    }

    @Bean
    @ConditionalOnBean(value = DelayQueueEndpoint.class, search = SearchStrategy.CURRENT)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    DelayQueueEndpointWebExtension delayQueueEndpointWebExtension(
            DelayQueueEndpoint endpoint, DelayQueueEndpointProperties properties) {
        return new DelayQueueEndpointWebExtension(
                endpoint,
                properties.getShowValues(),
                new WebRoles(properties.getRoles(), properties.getOperateRoles(), properties.getPurgeRoles()));
    }
}
