package io.delayqueue.spring.testsupport;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Transactions over nothing. */
public final class NoResources extends AbstractPlatformTransactionManager {

    private static final long serialVersionUID = 1L;
    private static final ThreadLocal<Boolean> ACTIVE = ThreadLocal.withInitial(() -> false);

    @Override
    protected Object doGetTransaction() {
        return new Object();
    }

    @Override
    protected boolean isExistingTransaction(Object transaction) {
        return ACTIVE.get();
    }

    @Override
    protected Object doSuspend(Object transaction) {
        ACTIVE.set(false);
        return transaction;
    }

    @Override
    protected void doResume(Object transaction, Object suspendedResources) {
        ACTIVE.set(true);
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        ACTIVE.set(true);
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {}

    @Override
    protected void doRollback(DefaultTransactionStatus status) {}

    @Override
    protected void doSetRollbackOnly(DefaultTransactionStatus status) {}

    @Override
    protected void doCleanupAfterCompletion(Object transaction) {
        ACTIVE.set(false);
    }
}
