package io.delayqueue.jdbc.autoconfigure;

import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The DataSource of the journal: one that is named or qualified for it, else the application's primary or only one.
 *
 * @param dataSource the DataSource
 */
record JournalDataSource(DataSource dataSource) {

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
        return new JournalDataSource(dataSource);
    }
}
