package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.actuate.AuditReports;
import io.delayqueue.jdbc.actuate.JournalEndpoint;
import io.delayqueue.jdbc.actuate.JournalEndpointWebExtension;
import io.delayqueue.jdbc.actuate.JournalReports;
import io.delayqueue.jdbc.actuate.OutboxReports;
import io.delayqueue.jdbc.actuate.RestoreReports;
import io.delayqueue.jdbc.actuate.RestoreRuns;
import io.delayqueue.jdbc.actuate.UnknownParameters;
import io.delayqueue.jdbc.audit.AuditBuffer;
import io.delayqueue.jdbc.audit.AuditWriter;
import io.delayqueue.jdbc.relay.OutboxLifecycle;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.relay.QueuedHandOver;
import io.delayqueue.jdbc.relay.Relay;
import io.delayqueue.jdbc.restore.JournalRestore;
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
@AutoConfiguration(
        after = {
            JournalRelayAutoConfiguration.class,
            JournalAutoConfiguration.class,
            JournalAuditAutoConfiguration.class,
            JournalRestoreAutoConfiguration.class
        })
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean({Journal.class, OutboxOperator.class, OutboxLifecycle.class})
@ConditionalOnAvailableEndpoint(JournalEndpoint.class)
@EnableConfigurationProperties(JournalEndpointProperties.class)
public final class JournalEndpointAutoConfiguration {

    /** Closed before what it restores with. */
    @Bean
    @ConditionalOnBean(JournalRestore.class)
    RestoreRuns delayQueueRestoreRuns(JournalRestore restore) {
        return new RestoreRuns(restore);
    }

    @Bean
    @ConditionalOnBean({JournalRestore.class, RestoreRuns.class})
    RestoreReports delayQueueRestoreReports(JournalRestore restore, RestoreRuns runs) {
        return new RestoreReports(restore, runs);
    }

    @Bean
    @ConditionalOnBean({AuditBuffer.class, AuditWriter.class})
    AuditReports delayQueueAuditReports(AuditBuffer buffer, AuditWriter writer) {
        return new AuditReports(buffer, writer);
    }

    @Bean
    OutboxReports delayQueueOutboxReports(
            OutboxOperator outbox, QueuedHandOver handOver, Relay relay, OutboxLifecycle lifecycle) {
        return new OutboxReports(outbox, handOver, relay, lifecycle);
    }

    @Bean
    JournalReports delayQueueJournalReports(
            Journal journal,
            OutboxReports outbox,
            ObjectProvider<AuditReports> audit,
            ObjectProvider<RestoreReports> restore,
            ObjectProvider<SanitizingFunction> sanitizingFunctions) {
        return new JournalReports(
                journal,
                outbox,
                audit.getIfAvailable(),
                restore.getIfAvailable(),
                sanitizingFunctions.orderedStream().toList());
    }

    @Bean
    UnknownParameters delayQueueJournalUnknownParameters() {
        return new UnknownParameters();
    }

    @Bean
    @ConditionalOnMissingBean
    JournalEndpoint delayQueueJournalEndpoint(JournalReports reports, JournalEndpointProperties properties) {
        return new JournalEndpoint(reports, properties.getShowValues());
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
