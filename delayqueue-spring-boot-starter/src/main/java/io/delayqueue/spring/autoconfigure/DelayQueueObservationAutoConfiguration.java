package io.delayqueue.spring.autoconfigure;

import io.delayqueue.spring.observation.ObservedListeners;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the observation of listener calls, and of calls of Redis only where something is observed. */
@AutoConfiguration(
        before = DelayQueueListenerAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@EnableConfigurationProperties(DelayQueueProperties.class)
public final class DelayQueueObservationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ObservedListeners delayQueueObservedListeners(ObservationRegistry registry) {
        return new ObservedListeners(registry);
    }

    /** Spring Boot's observation registry takes all beans of this type. */
    @Bean
    ObservationPredicate delayQueueRedisCallsInTraces(DelayQueueProperties properties) {
        return new RedisCallsInTraces(properties.getKeyPrefix());
    }
}
