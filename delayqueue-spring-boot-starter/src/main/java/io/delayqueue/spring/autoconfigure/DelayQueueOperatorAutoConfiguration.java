package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.MessageSender;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.operator.AuditedOperations;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.operator.OperatorListener;
import io.delayqueue.spring.operator.StorySource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;

/** Auto-configuration of what operators read and do, and of the audit events of it. */
@AutoConfiguration(after = DelayQueueListenerAutoConfiguration.class)
@ConditionalOnBean({DelayQueueClient.class, DelayQueueListenerEndpointRegistry.class})
public final class DelayQueueOperatorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    DelayQueueOperator delayQueueOperator(
            DelayQueueClient client,
            ObjectProvider<MessageSender> senders,
            ObjectProvider<StorySource> stories,
            DelayQueueListenerEndpointRegistry listeners,
            ObjectProvider<OperatorListener> operationListeners) {
        MessageSender sender = senders.getIfUnique();
        return new DelayQueueOperator(
                client,
                sender != null && sender.supports(client) ? sender : MessageSender.immediate(client),
                stories.getIfUnique(),
                listeners,
                operationListeners.orderedStream().toList());
    }

    /** Jobs are stopped before the client's connections are: their steps would fail. */
    @Bean
    ApplicationListener<ContextClosedEvent> delayQueueOperatorStop(
            DelayQueueOperator operator, ApplicationContext context) {
        return event -> {
            if (event.getApplicationContext() == context) {
                operator.close();
            }
        };
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(AuditApplicationEvent.class)
    static class Audit {

        @Bean
        @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
        AuditedOperations delayQueueAuditedOperations(ApplicationEventPublisher publisher) {
            return new AuditedOperations(publisher);
        }
    }
}
