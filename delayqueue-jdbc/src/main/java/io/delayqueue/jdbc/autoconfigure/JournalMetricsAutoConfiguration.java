package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.audit.AuditBuffer;
import io.delayqueue.jdbc.inbox.InboxDecorator;
import io.delayqueue.jdbc.metrics.OutboxGauges;
import io.delayqueue.jdbc.metrics.OutboxMeters;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.retention.Pruner;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the journal's meters. */
@AutoConfiguration(
        after = JournalRelayAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, OutboxOperator.class})
public final class JournalMetricsAutoConfiguration {

    /** One of the outbox's listeners. */
    @Bean
    @ConditionalOnMissingBean
    OutboxMeters delayQueueOutboxMeters(MeterRegistry registry) {
        return new OutboxMeters(registry);
    }

    @Bean
    @ConditionalOnMissingBean
    OutboxGauges delayQueueOutboxGauges(MeterRegistry registry, OutboxOperator outbox) {
        return new OutboxGauges(registry, outbox);
    }

    @Bean
    SmartInitializingSingleton delayQueueAuditMeters(MeterRegistry registry, ObjectProvider<AuditBuffer> buffers) {
        return () -> buffers.ifAvailable(buffer -> {
            Gauge.builder("delayqueue.journal.audit.queue", buffer, AuditBuffer::size)
                    .description("Events of messages that wait in this instance to be written")
                    .register(registry);
            FunctionCounter.builder("delayqueue.journal.audit.dropped", buffer, AuditBuffer::dropped)
                    .description("Events of messages that this instance dropped, as the database did not take them")
                    .register(registry);
        });
    }

    @Bean
    SmartInitializingSingleton delayQueueInboxMeters(MeterRegistry registry, ObjectProvider<InboxDecorator> inboxes) {
        return () -> inboxes.ifAvailable(inbox -> FunctionCounter.builder(
                        "delayqueue.journal.inbox.duplicates", inbox, InboxDecorator::duplicates)
                .description("Deliveries of messages that an idempotent listener had handled")
                .register(registry));
    }

    @Bean
    SmartInitializingSingleton delayQueueRetentionMeters(MeterRegistry registry, ObjectProvider<Pruner> pruners) {
        return () -> pruners.ifAvailable(
                pruner -> FunctionCounter.builder("delayqueue.journal.pruned", pruner, Pruner::pruned)
                        .description("Old rows of the journal that this instance deleted")
                        .register(registry));
    }

    @Bean
    SmartInitializingSingleton delayQueueRestoreMeters(
            MeterRegistry registry, ObjectProvider<JournalRestore> restores) {
        return () -> restores.ifAvailable(restore -> {
            Gauge.builder(
                            "delayqueue.journal.restore.losses",
                            restore,
                            known -> known.losses().size())
                    .description(
                            "Partitions with lost data that this instance knows of, and that were not restored yet")
                    .register(registry);
            FunctionCounter.builder("delayqueue.journal.restore.restored", restore, JournalRestore::restored)
                    .description("Messages that this instance scheduled again, since Redis had lost them")
                    .register(registry);
        });
    }
}
