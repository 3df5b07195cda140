package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.support.JournalDatabase;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/** Fails the start of an application none of whose transactions the journal could be part of. */
final class TransactionManagerCheck implements SmartInitializingSingleton {

    private final JournalDatabase database;
    private final ListableBeanFactory beans;

    TransactionManagerCheck(JournalDatabase database, ListableBeanFactory beans) {
        this.database = database;
        this.beans = beans;
    }

    /** @throws JournalTransactionManagerException if there is no manager, or each is known to have other transactions */
    @Override
    public void afterSingletonsInstantiated() {
        Map<String, PlatformTransactionManager> managers =
                BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, PlatformTransactionManager.class);
        if (managers.values().stream().noneMatch(this::mayBeSuitable)) {
            throw new JournalTransactionManagerException(List.of(), managers.keySet());
        }
    }

    /** A manager without a resource of its own may use any connection. */
    private boolean mayBeSuitable(PlatformTransactionManager manager) {
        return !(manager instanceof ResourceTransactionManager)
                || JournalTransactionManager.isSuitable(manager, database.dataSource());
    }
}
