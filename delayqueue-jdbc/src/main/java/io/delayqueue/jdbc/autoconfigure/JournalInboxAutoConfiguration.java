package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.jdbc.inbox.InboxDecorator;
import io.delayqueue.jdbc.inbox.InboxTransactions;
import io.delayqueue.jdbc.inbox.PoolCheck;
import io.delayqueue.jdbc.inbox.RetryCheck;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;

/** Auto-configuration of {@linkplain DelayQueueListener#idempotent() idempotent} listeners. */
@AutoConfiguration(
        after = {DelayQueueAutoConfiguration.class, JournalSchemaAutoConfiguration.class, JournalAutoConfiguration.class
        })
@ConditionalOnBooleanProperty(
        name = {"delayqueue.enabled", "delayqueue.journal.enabled"},
        matchIfMissing = true)
@ConditionalOnBean({DataSource.class, DelayQueueClient.class})
public final class JournalInboxAutoConfiguration {

    /** Name or qualifier of a transaction manager for idempotent listeners, if there are several of the journal's DataSource. */
    public static final String TRANSACTION_MANAGER = "delayQueueJournalTransactionManager";

    @Bean
    @ConditionalOnMissingBean
    InboxDecorator delayQueueInboxDecorator(
            JournalDatabase database,
            InboxTransactions transactions,
            JournalProperties properties,
            DelayQueueClient client) {
        return new InboxDecorator(
                database,
                transactions,
                properties.getRetention().getInbox(),
                properties.getRetention().getDead(),
                topic -> client.options().topic(topic).deadLetterRetention());
    }

    @Bean
    @ConditionalOnMissingBean
    InboxTransactions delayQueueInboxTransactions(
            JournalDatabase database,
            @Qualifier(TRANSACTION_MANAGER) ObjectProvider<PlatformTransactionManager> ownManager,
            ObjectProvider<PlatformTransactionManager> managers,
            ConfigurableListableBeanFactory beans) {
        return new InboxTransactions(
                new JournalTransactionManager(database.dataSource(), ownManager, managers, beans),
                name -> BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, name));
    }

    /** By the attempts and delays that listeners have with the application's defaults, which their declarations lack. */
    @Bean
    SmartInitializingSingleton delayQueueInboxRetryCheck(
            InboxDecorator inbox,
            JournalProperties properties,
            ObjectProvider<DelayQueueListenerEndpointRegistry> listeners) {
        RetryCheck check = new RetryCheck(inbox, properties.getRetention().getInbox());
        return () -> listeners.ifAvailable(registry -> registry.onRegistration(check));
    }

    /** Of pools that tell their size, as Hikari does. */
    @Bean
    SmartInitializingSingleton delayQueueInboxPoolCheck(
            JournalDatabase database,
            InboxDecorator inbox,
            ObjectProvider<DataSourcePoolMetadataProvider> pools,
            ObjectProvider<DelayQueueListenerEndpointRegistry> listeners) {
        return () -> {
            DataSourcePoolMetadata pool = new CompositeDataSourcePoolMetadataProvider(
                            pools.orderedStream().toList())
                    .getDataSourcePoolMetadata(database.dataSource());
            Integer max = pool == null ? null : pool.getMax();
            if (max != null) {
                PoolCheck check = new PoolCheck(inbox, max);
                listeners.ifAvailable(registry -> registry.onRegistration(check));
            }
        };
    }
}
