package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.actuate.JournalEndpoint;
import io.delayqueue.jdbc.actuate.JournalEndpointWebExtension;
import io.delayqueue.jdbc.actuate.JournalReports;
import io.delayqueue.jdbc.relay.OutboxLifecycle;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.relay.QueuedHandOver;
import io.delayqueue.jdbc.relay.Relay;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the journal's actuator endpoint. */
@AutoConfiguration(after = {JournalRelayAutoConfiguration.class, JournalAutoConfiguration.class})
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean({Journal.class, OutboxOperator.class, OutboxLifecycle.class})
@ConditionalOnAvailableEndpoint(JournalEndpoint.class)
@EnableConfigurationProperties(JournalEndpointProperties.class)
public final class JournalEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    JournalEndpoint delayQueueJournalEndpoint(
            Journal journal,
            OutboxOperator outbox,
            QueuedHandOver handOver,
            Relay relay,
            OutboxLifecycle lifecycle,
            ObjectProvider<SanitizingFunction> sanitizingFunctions,
            JournalEndpointProperties properties) {
        return new JournalEndpoint(
                new JournalReports(
                        journal,
                        outbox,
                        handOver,
                        relay,
                        lifecycle,
                        sanitizingFunctions.orderedStream().toList()),
                properties.getShowValues());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(JournalEndpoint.class)
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    JournalEndpointWebExtension delayQueueJournalEndpointWebExtension(
            JournalEndpoint endpoint, JournalEndpointProperties properties) {
        return new JournalEndpointWebExtension(endpoint, properties.getShowValues(), properties.getRoles());
    }
}
