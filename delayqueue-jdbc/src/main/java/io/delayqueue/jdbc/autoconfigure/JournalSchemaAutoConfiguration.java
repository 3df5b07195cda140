package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.schema.JournalSchemaInitializer;
import io.delayqueue.jdbc.support.JournalTables;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.sql.autoconfigure.init.OnDatabaseInitializationCondition;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

/** Auto-configuration of the journal's tables. */
@AutoConfiguration(after = DataSourceAutoConfiguration.class)
@ConditionalOnBooleanProperty(
        name = {"delayqueue.enabled", "delayqueue.journal.enabled"},
        matchIfMissing = true)
@ConditionalOnBean(DataSource.class)
@EnableConfigurationProperties(JournalProperties.class)
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class JournalSchemaAutoConfiguration {

    /** Name or qualifier of a DataSource for the journal, if it is not the application's primary one. */
    public static final String DATA_SOURCE = "delayQueueJournalDataSource";

    @Bean
    JournalTables delayQueueJournalTables(JournalProperties properties) {
        return new JournalTables(properties.getTablePrefix());
    }

    /** Tells at once what the journal can't work with, before its tables are looked for. */
    @Bean
    JournalDataSource delayQueueJournalDataSourceInUse(
            @Qualifier(DATA_SOURCE) ObjectProvider<DataSource> ownDataSource,
            ObjectProvider<DataSource> dataSources,
            ListableBeanFactory beans) {
        JournalDataSource chosen = JournalDataSource.of(ownDataSource, dataSources, beans);
        Dialect.of(chosen.dataSource());
        return chosen;
    }

    @Bean
    @ConditionalOnMissingBean
    @Conditional(OnJournalInitializationCondition.class)
    JournalSchemaInitializer delayQueueJournalSchemaInitializer(
            JournalDataSource dataSource, JournalProperties properties, JournalTables tables) {
        return new JournalSchemaInitializer(
                dataSource.dataSource(),
                properties.getSchema(),
                properties.getPlatform(),
                properties.getInitializeSchema(),
                tables);
    }

    /** Unless the schema is never initialized. */
    static final class OnJournalInitializationCondition extends OnDatabaseInitializationCondition {

        OnJournalInitializationCondition() {
            super("Delay queue journal", "delayqueue.journal.initialize-schema");
        }
    }
}
