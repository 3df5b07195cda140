package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.audit.JdbcJournal;
import io.delayqueue.jdbc.audit.JournalStories;
import io.delayqueue.jdbc.outbox.BegunTransactions;
import io.delayqueue.jdbc.outbox.CallerTransaction;
import io.delayqueue.jdbc.outbox.HandOver;
import io.delayqueue.jdbc.outbox.JournalSender;
import io.delayqueue.jdbc.outbox.OutboxWriter;
import io.delayqueue.jdbc.outbox.WriteSettings;
import io.delayqueue.jdbc.outbox.WriteTransactions;
import io.delayqueue.jdbc.restore.RestoreMode;
import io.delayqueue.jdbc.schema.JournalKeyPrefix;
import io.delayqueue.jdbc.schema.JournalSchema;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.spring.HeaderContributor;
import io.delayqueue.spring.MessageSender;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.operator.StorySource;
import java.util.Locale;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/**
 * Auto-configuration of what writes to the journal: with a {@link HandOver} bean, the template's calls are recorded in the outbox, in the
 * caller's transaction.
 */
@AutoConfiguration(
        after = {
            DelayQueueAutoConfiguration.class,
            JournalSchemaAutoConfiguration.class,
            JournalRelayAutoConfiguration.class
        })
@ConditionalOnBooleanProperty(
        name = {"delayqueue.enabled", "delayqueue.journal.enabled"},
        matchIfMissing = true)
@ConditionalOnBean({DataSource.class, DelayQueueClient.class})
public final class JournalAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** Checks the tables, which have to be there by now. */
    @Bean
    @DependsOnDatabaseInitialization
    JournalDatabase delayQueueJournalDatabase(
            JournalDataSource chosen, JournalTables tables, JournalProperties properties) {
        DataSource dataSource = chosen.dataSource();
        new JournalSchema(dataSource, tables).requireVersion();
        JournalDatabase database = new JournalDatabase(dataSource, tables);
        log.info(
                "The journal is in use: {}, DataSource '{}', tables {}*, audit {}, restore {}",
                database.dialect().platform(),
                chosen.name(),
                tables.prefix(),
                orOff(properties, properties.getAudit().getPolicy()),
                orOff(properties, properties.getRestore().getMode()));
        return database;
    }

    /** Nothing is restored without an audit. */
    private static String orOff(JournalProperties properties, Enum<?> setting) {
        return properties.getAudit().isEnabled() ? setting.name().toLowerCase(Locale.ROOT) : "off";
    }

    @Bean
    JournalTransaction delayQueueJournalTransaction(JournalDatabase database) {
        return new JournalTransaction(database.dataSource(), database.dialect());
    }

    @Bean
    @ConditionalOnMissingBean
    Journal delayQueueJournal(JournalDatabase database, JournalTransaction transaction, JournalProperties properties) {
        return new JdbcJournal(database, transaction, properties.getBusinessKey());
    }

    @Bean
    @ConditionalOnMissingBean
    StorySource delayQueueJournalStories(Journal journal) {
        return new JournalStories(journal);
    }

    /** Of infrastructure's role, since a post-processor of beans needs it. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BegunTransactions delayQueueBegunTransactions() {
        return new BegunTransactions();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static TransactionListeners delayQueueTransactionListeners(BegunTransactions begun) {
        return new TransactionListeners(begun);
    }

    @Bean
    @ConditionalOnMissingBean
    WriteSettings delayQueueWriteSettings(JournalProperties properties) {
        return WriteSettings.ofThisInstance(properties.getOutbox().getSendTimeout(), properties.getBusinessKey());
    }

    @Bean
    @ConditionalOnBean(HandOver.class)
    @ConditionalOnMissingBean(MessageSender.class)
    JournalSender delayQueueJournalSender(
            DelayQueueClient client,
            BegunTransactions begun,
            JournalDataSource chosen,
            JournalDatabase database,
            JournalTransaction transaction,
            WriteSettings settings,
            HandOver handOver,
            ObjectProvider<HeaderContributor> contributors) {
        return new JournalSender(
                client,
                new WriteTransactions(new CallerTransaction(database.dataSource(), chosen.name(), begun), transaction),
                new OutboxWriter(database, settings),
                handOver,
                new TraceContext(contributors.orderedStream().toList()));
    }

    /** Before anything is sent: relays start later. */
    @Bean
    @ConditionalOnBean(JournalSender.class)
    SmartInitializingSingleton delayQueueKeyPrefixCheck(
            JournalDatabase database, JournalTransaction transaction, DelayQueueClient client) {
        return () -> new JournalKeyPrefix(database, transaction)
                .require(client.options().keyPrefix());
    }

    @Bean
    @ConditionalOnBean(JournalSender.class)
    TemplatesCheck delayQueueTemplatesCheck(JournalSender sender, ListableBeanFactory beans) {
        return new TemplatesCheck(sender, beans);
    }

    /** Nobody knows then which messages were handled, so a lost Redis stays lost. */
    @Bean
    @ConditionalOnBooleanProperty(name = "delayqueue.journal.audit.enabled", havingValue = false)
    SmartInitializingSingleton delayQueueNoRestoreWithoutAudit(JournalProperties properties) {
        return () -> {
            if (properties.getRestore().getMode() != RestoreMode.OFF) {
                log.warn(
                        "Without the audit (delayqueue.journal.audit.enabled=false) the journal does not know which messages were"
                                + " handled: it will not notice when Redis loses data, and can't restore it."
                                + " delayqueue.journal.restore.mode=off silences this warning");
            }
        };
    }

    @Bean
    @ConditionalOnBean(JournalSender.class)
    TransactionManagerCheck delayQueueTransactionManagerCheck(JournalDatabase database, ListableBeanFactory beans) {
        return new TransactionManagerCheck(database, beans);
    }
}
