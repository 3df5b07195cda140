package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.audit.AuditBuffer;
import io.delayqueue.jdbc.restore.JournalClaimGate;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.LossWatch;
import io.delayqueue.jdbc.restore.RestoreLifecycle;
import io.delayqueue.jdbc.restore.RestoreSettings;
import io.delayqueue.jdbc.restore.SeenMarks;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalInstance;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueOptionsCustomizer;
import javax.sql.DataSource;
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
        JournalEvents events = new JournalEvents(() -> client, publisher);
        return new JournalRestore(client, database, seen, audit::whenWritten, settings, events::publish);
    }

    @Bean(destroyMethod = "close")
    LossWatch delayQueueLossWatch(JournalRestore restore, SeenMarks seen) {
        return new LossWatch(restore, seen);
    }

    @Bean
    RestoreLifecycle delayQueueRestoreLifecycle(LossWatch watch, DelayQueueClient client) {
        return new RestoreLifecycle(watch, client);
    }
}
