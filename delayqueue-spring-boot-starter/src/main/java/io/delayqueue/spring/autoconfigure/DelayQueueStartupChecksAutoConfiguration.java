package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueue;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.startup.StartupChecks;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the checks of the Redis server at start-up. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnBean(DelayQueue.class)
public final class DelayQueueStartupChecksAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    StartupChecks delayQueueStartupChecks(DelayQueue delayQueue, DelayQueueProperties properties) {
        return new StartupChecks(
                delayQueue,
                properties.isFailFast(),
                properties.getGuardInterval(),
                DelayQueueListenerEndpointRegistry.PHASE - 1);
    }
}
