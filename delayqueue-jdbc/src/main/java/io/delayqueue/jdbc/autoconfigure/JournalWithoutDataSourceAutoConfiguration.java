package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Warns of an application that has the journal on its class path, and no database to keep it in. */
@AutoConfiguration(after = {DelayQueueAutoConfiguration.class, DataSourceAutoConfiguration.class})
@ConditionalOnBooleanProperty(
        name = {"delayqueue.enabled", "delayqueue.journal.enabled"},
        matchIfMissing = true)
@ConditionalOnMissingBean(DataSource.class)
@ConditionalOnBean(DelayQueueClient.class)
public final class JournalWithoutDataSourceAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    @Bean
    SmartInitializingSingleton delayQueueJournalIsMissing() {
        return () -> log.warn(
                "There is no DataSource, so there is no journal: calls go straight to Redis, outside of transactions."
                        + " Define a DataSource (R2DBC is not supported), or set delayqueue.journal.enabled=false");
    }
}
