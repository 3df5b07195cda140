package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.audit.AuditBuffer;
import io.delayqueue.jdbc.audit.AuditWriter;
import io.delayqueue.jdbc.health.JournalHealthIndicator;
import io.delayqueue.jdbc.relay.OutboxLifecycle;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.relay.Relay;
import io.delayqueue.jdbc.restore.JournalRestore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the journal's health indicator. */
@AutoConfiguration(after = JournalRelayAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean({OutboxOperator.class, OutboxLifecycle.class})
@ConditionalOnEnabledHealthIndicator("delayqueuejournal")
public final class JournalHealthContributorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"delayqueueJournalHealthIndicator", "delayqueueJournalHealthContributor"})
    JournalHealthIndicator delayqueueJournalHealthIndicator(
            OutboxOperator outbox,
            Relay relay,
            OutboxLifecycle lifecycle,
            ObjectProvider<JournalRestore> restore,
            ObjectProvider<AuditBuffer> audit,
            ObjectProvider<AuditWriter> writer) {
        return new JournalHealthIndicator(
                outbox, relay, lifecycle, JournalHealthIndicator.DEFAULT_THRESHOLD, restore, audit, writer);
    }
}
