package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.actuate.CallbacksEndpoint;
import io.delayqueue.gateway.callback.CallbackReplay;
import io.delayqueue.gateway.callback.CallbackTargets;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the callbacks' actuator endpoint. */
@AutoConfiguration(after = CallbacksAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(CallbackTargets.class)
@ConditionalOnAvailableEndpoint(CallbacksEndpoint.class)
public final class CallbacksEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    CallbacksEndpoint delayQueueCallbacksEndpoint(CallbackTargets targets, DelayQueueClient client) {
        return new CallbacksEndpoint(targets, new CallbackReplay(client));
    }
}
