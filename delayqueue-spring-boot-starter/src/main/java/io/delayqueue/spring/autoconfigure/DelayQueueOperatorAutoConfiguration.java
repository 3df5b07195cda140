package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.operator.AuditedOperations;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.operator.OperatorListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of what operators read and do, and of the audit events of it. */
@AutoConfiguration(after = DelayQueueListenerAutoConfiguration.class)
@ConditionalOnBean({DelayQueueClient.class, DelayQueueListenerEndpointRegistry.class})
public final class DelayQueueOperatorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    DelayQueueOperator delayQueueOperator(
            DelayQueueClient client,
            DelayQueueListenerEndpointRegistry listeners,
            ObjectProvider<OperatorListener> operationListeners) {
        return new DelayQueueOperator(
                client, listeners, operationListeners.orderedStream().toList());
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
