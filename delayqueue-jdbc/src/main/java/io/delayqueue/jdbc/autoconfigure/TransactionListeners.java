package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.outbox.BegunTransactions;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Lets the journal see where each transaction is, whichever manager it belongs to. */
final class TransactionListeners implements BeanPostProcessor {

    private final BegunTransactions begun;

    TransactionListeners(BegunTransactions begun) {
        this.begun = begun;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof PlatformTransactionManager manager
                && bean instanceof ConfigurableTransactionManager listened) {
            listened.addListener(begun.listener(manager, beanName));
        }
        return bean;
    }
}
