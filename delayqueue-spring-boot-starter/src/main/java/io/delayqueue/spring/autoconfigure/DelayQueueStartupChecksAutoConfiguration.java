package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.startup.ShutdownTimeoutCheck;
import io.delayqueue.spring.startup.StartupChecks;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** Auto-configuration of the start-up checks of the Redis server. */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@ConditionalOnBean(DelayQueueClient.class)
public final class DelayQueueStartupChecksAutoConfiguration {

    /** Spring Boot's default of {@code spring.lifecycle.timeout-per-shutdown-phase}. */
    private static final Duration SPRINGS_PHASE_TIMEOUT = Duration.ofSeconds(30);

    @Bean
    @ConditionalOnMissingBean
    StartupChecks delayQueueStartupChecks(
            DelayQueueClient client, ApplicationContext context, DelayQueueProperties properties) {
        return new StartupChecks(
                ClientBeans.of(context, client),
                properties.isFailFast(),
                properties.getGuardInterval(),
                DelayQueueListenerEndpointRegistry.PHASE - 1);
    }

    @Bean
    @ConditionalOnMissingBean
    ShutdownTimeoutCheck delayQueueShutdownTimeoutCheck(
            ObjectProvider<DelayQueueListenerEndpointRegistry> listeners, Environment environment) {
        Duration phaseTimeout = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(SPRINGS_PHASE_TIMEOUT);
        return new ShutdownTimeoutCheck(listeners, phaseTimeout);
    }

    @Bean
    @ConditionalOnMissingBean
    TopicPropertiesCheck delayQueueTopicPropertiesCheck(ConfigurableEnvironment environment) {
        return new TopicPropertiesCheck(environment);
    }
}
