package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutboxOptions;
import io.delayqueue.jdbc.audit.AuditBuffer;
import io.delayqueue.jdbc.audit.AuditEvent;
import io.delayqueue.jdbc.audit.AuditLifecycle;
import io.delayqueue.jdbc.audit.AuditObserver;
import io.delayqueue.jdbc.audit.AuditSettings;
import io.delayqueue.jdbc.audit.AuditWatch;
import io.delayqueue.jdbc.audit.AuditWriter;
import io.delayqueue.jdbc.relay.RedisTime;
import io.delayqueue.jdbc.restore.SeenMarks;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the audit trail. The client depends on its observers, so the observer must not depend on the client, nor on the
 * database, which may be unavailable when messages are handled.
 */
@AutoConfiguration(after = {DelayQueueAutoConfiguration.class, JournalAutoConfiguration.class})
@ConditionalOnBooleanProperty(
        name = {"delayqueue.enabled", "delayqueue.journal.enabled", "delayqueue.journal.audit.enabled"},
        matchIfMissing = true)
@ConditionalOnBean({DataSource.class, DelayQueueClient.class})
public final class JournalAuditAutoConfiguration {

    /** Reason for which the policy {@code stop} pauses listeners. */
    static final String PAUSE_REASON = "journal";

    @Bean
    @ConditionalOnMissingBean
    AuditSettings delayQueueAuditSettings(JournalProperties properties) {
        AuditProperties audit = properties.getAudit();
        return new AuditSettings(
                audit.getPolicy(), audit.getCapacity(), audit.getCapacityBytes().toBytes(), audit.getFlushInterval());
    }

    @Bean
    AuditBuffer delayQueueAuditBuffer(AuditSettings settings) {
        return new AuditBuffer(settings.capacity(), settings.capacityBytes());
    }

    @Bean
    AuditObserver delayQueueAuditObserver(AuditBuffer buffer) {
        return new AuditObserver(buffer);
    }

    @Bean
    AuditWriter delayQueueAuditWriter(
            JournalDatabase database,
            AuditBuffer buffer,
            AuditSettings settings,
            ObjectProvider<DelayQueueClient> client,
            ObjectProvider<SeenMarks> seen) {
        // the restore compares the counters of ends with Redis', so they are kept with the ends
        Optional<SeenMarks> marks = Optional.ofNullable(seen.getIfAvailable());
        return new AuditWriter(
                database,
                buffer,
                new RedisTime(() -> client.getObject().outbox(OutboxOptions.DEFAULTS)),
                settings,
                events -> marks.ifPresent(kept ->
                        kept.writeEnded(events.stream().map(AuditEvent::topic).collect(Collectors.toSet()))));
    }

    @Bean
    AuditWatch delayQueueAuditWatch(
            AuditBuffer buffer,
            AuditSettings settings,
            ObjectProvider<DelayQueueListenerEndpointRegistry> registry,
            ObjectProvider<DelayQueueClient> client,
            ApplicationEventPublisher publisher) {
        return new AuditWatch(
                buffer,
                settings.policy(),
                paused -> registry.ifAvailable(listeners -> {
                    if (paused) {
                        listeners.pauseAll(PAUSE_REASON);
                    } else {
                        listeners.resumeAll(PAUSE_REASON);
                    }
                }),
                new JournalEvents(client::getObject, publisher)::publish);
    }

    @Bean
    AuditLifecycle delayQueueAuditLifecycle(AuditWriter writer, AuditObserver observer, AuditWatch watch) {
        return new AuditLifecycle(writer, observer, watch);
    }
}
