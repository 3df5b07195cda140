package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.outbox.TransactionTests.Failing;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A transaction manager without a resource that fails in one phase. */
final class FailingManager extends AbstractPlatformTransactionManager {

    private static final long serialVersionUID = 1L;

    private final Failing phase;

    FailingManager(Failing phase) {
        this.phase = phase;
    }

    void register() {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                failIf(Failing.BEFORE_COMMIT);
            }

            @Override
            public void afterCommit() {
                failIf(Failing.AFTER_COMMIT);
            }
        });
    }

    private void failIf(Failing now) {
        if (phase == now) {
            throw new IllegalStateException(now.toString());
        }
    }

    @Override
    protected Object doGetTransaction() {
        return new Object();
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {}

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        if (phase == Failing.COMMIT) {
            throw new TransactionSystemException("commit");
        }
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {}
}
