package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.startup.StartupChecks;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the start-up checks of the Redis server. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@ConditionalOnBean(DelayQueueClient.class)
public final class DelayQueueStartupChecksAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    StartupChecks delayQueueStartupChecks(DelayQueueClient client, DelayQueueProperties properties) {
        return new StartupChecks(
                client,
                properties.isFailFast(),
                properties.getGuardInterval(),
                DelayQueueListenerEndpointRegistry.PHASE - 1);
    }
}
