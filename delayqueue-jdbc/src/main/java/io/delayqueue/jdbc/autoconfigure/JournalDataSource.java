package io.delayqueue.jdbc.autoconfigure;

import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * The DataSource of the journal: one that is named or qualified for it, else the application's primary or only one.
 *
 * @param dataSource the DataSource, not a proxy that knows of transactions
 * @param name name of its bean
 */
record JournalDataSource(DataSource dataSource, String name) {

    /** @throws JournalDataSourceException if there are several, and none is the primary one */
    static JournalDataSource of(
            ObjectProvider<DataSource> own, ObjectProvider<DataSource> all, ListableBeanFactory beans) {
        DataSource dataSource = own.getIfAvailable();
        if (dataSource == null) {
            dataSource = all.getIfUnique();
        }
        if (dataSource == null) {
            throw new JournalDataSourceException(List.of(beans.getBeanNamesForType(DataSource.class)));
        }
        return new JournalDataSource(target(dataSource), name(dataSource, beans));
    }

    /**
     * The DataSource behind a {@link TransactionAwareDataSourceProxy}, to which transactions belong. Through the proxy, the journal's own
     * statements could find the connection of a caller's transaction that has ended.
     */
    static DataSource target(DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null
                ? target(proxy.getTargetDataSource())
                : dataSource;
    }

    /** Of those that are made already: others may not be wanted yet. */
    private static String name(DataSource dataSource, ListableBeanFactory beans) {
        if (beans instanceof SingletonBeanRegistry singletons) {
            for (String name : beans.getBeanNamesForType(DataSource.class, false, false)) {
                if (singletons.getSingleton(name) == dataSource) {
                    return name;
                }
            }
        }
        return String.valueOf(dataSource);
    }
}
