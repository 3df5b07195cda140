package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.JournalDatabase;
import io.delayqueue.jdbc.JournalInstance;
import io.delayqueue.jdbc.audit.AuditBuffer;
import io.delayqueue.jdbc.audit.AuditEvent;
import io.delayqueue.jdbc.audit.AuditListener;
import io.delayqueue.jdbc.restore.JournalClaimGate;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.LossWatch;
import io.delayqueue.jdbc.restore.RedisLossDetectedEvent;
import io.delayqueue.jdbc.restore.RestoreFinishedEvent;
import io.delayqueue.jdbc.restore.RestoreLifecycle;
import io.delayqueue.jdbc.restore.RestoreListener;
import io.delayqueue.jdbc.restore.RestoreSettings;
import io.delayqueue.jdbc.restore.SeenMarks;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueOptionsCustomizer;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the restore: it notices that Redis lost data, and holds claims meanwhile. Without the audit, the journal does not
 * know which messages were handled, so there is none.
 */
@AutoConfiguration(
        after = {
            DelayQueueAutoConfiguration.class,
            JournalSchemaAutoConfiguration.class,
            JournalAuditAutoConfiguration.class
        })
@ConditionalOnBooleanProperty(
        name = {"delayqueue.enabled", "delayqueue.journal.enabled", "delayqueue.journal.audit.enabled"},
        matchIfMissing = true)
@ConditionalOnBean({DataSource.class, DelayQueueClient.class})
public final class JournalRestoreAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    @Bean
    @ConditionalOnMissingBean
    RestoreSettings delayQueueRestoreSettings(JournalProperties properties) {
        RestoreProperties restore = properties.getRestore();
        return new RestoreSettings(
                restore.getMode(),
                restore.getRate(),
                restore.getCheckInterval(),
                restore.getCompareInterval(),
                restore.getHoldTimeout(),
                RestoreSettings.DEFAULTS.checkTimeout(),
                RestoreSettings.DEFAULTS.settleTime());
    }

    @Bean
    SeenMarks delayQueueSeenMarks(JournalDatabase database) {
        return new SeenMarks(database, JournalInstance.name());
    }

    /** Observers exist before the client. */
    @Bean
    DelayQueueObserver delayQueueMarksObserver(SeenMarks seen) {
        return new DelayQueueObserver() {
            @Override
            public void marked(PartitionMark mark) {
                seen.note(mark);
            }

            @Override
            public void topicDeleting(String topic) {
                seen.topicDeleting(topic);
            }
        };
    }

    /** The counters of acks are kept with the acks. */
    @Bean
    AuditListener delayQueueAckMarks(SeenMarks seen) {
        return new AuditListener() {
            @Override
            public void writing(List<AuditEvent> events) {
                seen.writeAcked(events.stream().map(AuditEvent::topic).collect(Collectors.toSet()));
            }
        };
    }

    /** Asks for the rest with the first claim, as that needs the client. */
    @Bean
    JournalClaimGate delayQueueClaimGate(
            ObjectProvider<JournalRestore> restore, ObjectProvider<LossWatch> watch, RestoreSettings settings) {
        return new JournalClaimGate(restore::getIfAvailable, watch::getIfAvailable, settings);
    }

    @Bean
    DelayQueueOptionsCustomizer delayQueueClaimGateCustomizer(JournalClaimGate gate) {
        return options -> options.claimGate(gate);
    }

    @Bean
    JournalRestore delayQueueJournalRestore(
            DelayQueueClient client,
            JournalDatabase database,
            SeenMarks seen,
            AuditBuffer audit,
            RestoreSettings settings,
            ApplicationEventPublisher publisher) {
        return new JournalRestore(
                client,
                database,
                seen,
                audit::whenWritten,
                settings,
                new Events(new JournalEvents(() -> client, publisher)));
    }

    @Bean(destroyMethod = "close")
    LossWatch delayQueueLossWatch(JournalRestore restore, SeenMarks seen) {
        return new LossWatch(restore, seen);
    }

    @Bean
    RestoreLifecycle delayQueueRestoreLifecycle(LossWatch watch, DelayQueueClient client) {
        return new RestoreLifecycle(watch, client);
    }

    private record Events(JournalEvents events) implements RestoreListener {

        @Override
        public void lossDetected(RedisLossDetectedEvent event) {
            log.warn("Redis lost data of topic '{}', partition {}: {}", event.topic(), event.partition(), event.loss());
            events.publish(event);
        }

        @Override
        public void restoreFinished(RestoreFinishedEvent event) {
            log.info("Topic '{}' was compared with the journal: {}", event.topic(), event.report());
            events.publish(event);
        }
    }
}
