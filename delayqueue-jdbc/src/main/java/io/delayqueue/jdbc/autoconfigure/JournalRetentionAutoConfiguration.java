package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.jdbc.retention.Pruner;
import io.delayqueue.jdbc.retention.RetentionSettings;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of retention: old rows of the journal are deleted. */
@AutoConfiguration(
        after = {DelayQueueAutoConfiguration.class, JournalSchemaAutoConfiguration.class, JournalAutoConfiguration.class
        })
@ConditionalOnBooleanProperty(
        name = {"delayqueue.enabled", "delayqueue.journal.enabled", "delayqueue.journal.retention.enabled"},
        matchIfMissing = true)
@ConditionalOnBean({DataSource.class, DelayQueueClient.class})
public final class JournalRetentionAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RetentionSettings delayQueueRetentionSettings(JournalProperties properties) {
        RetentionProperties retention = properties.getRetention();
        return new RetentionSettings(
                Map.of(
                        "ACKED", retention.getAcked(),
                        "CANCELLED", retention.getCancelled(),
                        "EXPIRED", retention.getExpired(),
                        "DEAD", retention.getDead(),
                        "PURGED", retention.getPurged(),
                        "REPLACED", retention.getReplaced(),
                        "REJECTED", retention.getRejected(),
                        "KEPT", retention.getKept(),
                        "UNRECORDED", retention.getUnrecorded()),
                retention.getEvents(),
                retention.getInbox(),
                retention.getBatchSize(),
                retention.getInterval());
    }

    @Bean
    @ConditionalOnMissingBean
    Pruner delayQueuePruner(JournalDatabase database, JournalTransaction transaction, RetentionSettings settings) {
        return new Pruner(database, transaction, settings);
    }
}
