package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.gateway.callback.Callbacks;
import io.delayqueue.gateway.health.CallbacksHealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the callbacks' health indicator. */
@AutoConfiguration(after = CallbacksAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(Callbacks.class)
@ConditionalOnEnabledHealthIndicator("delayqueuecallbacks")
public final class CallbacksHealthContributorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"delayqueueCallbacksHealthIndicator", "delayqueueCallbacksHealthContributor"})
    CallbacksHealthIndicator delayqueueCallbacksHealthIndicator(Callbacks callbacks) {
        return new CallbacksHealthIndicator(callbacks);
    }
}
