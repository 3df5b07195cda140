package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.metrics.OutboxGauges;
import io.delayqueue.jdbc.metrics.OutboxMeters;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.micrometer.core.instrument.MeterRegistry;
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
}
