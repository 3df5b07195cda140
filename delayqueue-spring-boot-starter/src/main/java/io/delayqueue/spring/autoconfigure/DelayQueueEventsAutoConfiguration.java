package io.delayqueue.spring.autoconfigure;

import io.delayqueue.spring.event.EventPublishingObserver;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of application events about messages. */
@AutoConfiguration(before = DelayQueueAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
public final class DelayQueueEventsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    EventPublishingObserver delayQueueEventPublishingObserver(ApplicationEventPublisher publisher) {
        return new EventPublishingObserver(publisher);
    }
}
