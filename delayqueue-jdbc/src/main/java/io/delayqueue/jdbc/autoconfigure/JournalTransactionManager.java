package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.outbox.JtaManagers;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Finds the manager whose transactions are those of the journal's DataSource.
 *
 * @param dataSource the journal's
 * @param own managers that are named or qualified for the journal
 * @param all managers of the application
 * @param beans their names
 */
record JournalTransactionManager(
        DataSource dataSource,
        ObjectProvider<PlatformTransactionManager> own,
        ObjectProvider<PlatformTransactionManager> all,
        ListableBeanFactory beans)
        implements Supplier<PlatformTransactionManager> {

    /** @throws JournalTransactionManagerException if there is none, or no single one */
    @Override
    public PlatformTransactionManager get() {
        PlatformTransactionManager named = own.getIfAvailable();
        if (named != null) {
            if (isOfAnother(named, dataSource)) {
                throw new JournalTransactionManagerException(
                        Set.of(), Set.of(JournalInboxAutoConfiguration.TRANSACTION_MANAGER));
            }
            return named;
        }
        PlatformTransactionManager primary = all.getIfUnique();
        if (primary != null && isSuitable(primary, dataSource)) {
            return primary;
        }
        Map<String, PlatformTransactionManager> others =
                new LinkedHashMap<>(beans.getBeansOfType(PlatformTransactionManager.class));
        Map<String, PlatformTransactionManager> suitable = new LinkedHashMap<>(others);
        suitable.values().removeIf(manager -> !isSuitable(manager, dataSource));
        others.keySet().removeAll(suitable.keySet());
        if (suitable.size() != 1) {
            throw new JournalTransactionManagerException(suitable.keySet(), others.keySet());
        }
        return suitable.values().iterator().next();
    }

    /** Managers of JDBC, JPA and Hibernate tell their DataSource; those of JTA have all of them. */
    static boolean isSuitable(PlatformTransactionManager manager, DataSource dataSource) {
        if (JtaManagers.isJta(manager)) {
            return true;
        }
        DataSource managed = managed(manager);
        return managed != null && JournalDataSource.target(managed) == dataSource;
    }

    /** One that hides its DataSource, such as a proxy, may be the right one: somebody has named it. */
    private static boolean isOfAnother(PlatformTransactionManager manager, DataSource dataSource) {
        return managed(manager) != null && !isSuitable(manager, dataSource);
    }

    private static @Nullable DataSource managed(PlatformTransactionManager manager) {
        BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
        return properties.isReadableProperty("dataSource")
                        && properties.getPropertyValue("dataSource") instanceof DataSource managed
                ? managed
                : null;
    }
}
