package io.delayqueue.jdbc.outbox;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transactions that each thread has begun and not ended, as listeners of the transaction managers see them. Spring itself reports
 * a transaction as active until its last hook has run, though its commit was before.
 */
public final class BegunTransactions {

    private final ThreadLocal<Deque<BegunTransaction>> ofThread = new ThreadLocal<>();
    private volatile @Nullable DataSource dataSource;

    /** A listener for a transaction manager. */
    public TransactionExecutionListener listener(PlatformTransactionManager manager, String name) {
        return new Listener(manager, name);
    }

    /** Tells the journal's DataSource. Transactions that were begun before are unknown. */
    void useDataSource(DataSource journal) {
        this.dataSource = journal;
    }

    /** The innermost transaction of the thread that can write to the journal; null if none is known. */
    @Nullable
    BegunTransaction ofJournal() {
        Deque<BegunTransaction> all = known();
        if (all != null) {
            for (BegunTransaction begun : all) {
                if (begun.ofJournal) {
                    return begun;
                }
            }
        }
        return null;
    }

    /** The innermost transaction of the thread; null if none is known. */
    @Nullable
    BegunTransaction innermost() {
        Deque<BegunTransaction> all = known();
        return all == null ? null : all.peek();
    }

    /** Without those that ended without a word to their listeners. */
    private @Nullable Deque<BegunTransaction> known() {
        Deque<BegunTransaction> all = ofThread.get();
        if (all != null) {
            all.removeIf(begun -> begun.execution.isCompleted());
        }
        return all;
    }

    private void add(BegunTransaction begun) {
        Deque<BegunTransaction> all = known();
        if (all == null) {
            all = new ArrayDeque<>(2);
            ofThread.set(all);
        }
        all.push(begun);
    }

    private void markEnding(TransactionExecution execution) {
        Deque<BegunTransaction> all = ofThread.get();
        if (all != null) {
            all.stream().filter(begun -> begun.execution == execution).forEach(begun -> begun.ending = true);
        }
    }

    private void remove(TransactionExecution execution) {
        Deque<BegunTransaction> all = ofThread.get();
        if (all != null) {
            for (Iterator<BegunTransaction> each = all.iterator(); each.hasNext(); ) {
                if (each.next().execution == execution) {
                    each.remove();
                    break;
                }
            }
            if (all.isEmpty()) {
                ofThread.remove();
            }
        }
    }

    /** A transaction. */
    static final class BegunTransaction {

        private final String manager;
        private final TransactionExecution execution;
        private final boolean ofJournal;
        private boolean ending;

        private BegunTransaction(String manager, TransactionExecution execution, boolean ofJournal) {
            this.manager = manager;
            this.execution = execution;
            this.ofJournal = ofJournal;
        }

        /** Name of its manager. */
        String manager() {
            return manager;
        }

        /** Whether its commit or rollback has begun: rows that are written now would be lost, or not belong to it. */
        boolean isEnding() {
            return ending;
        }
    }

    private final class Listener implements TransactionExecutionListener {

        private final PlatformTransactionManager manager;
        private final String name;

        Listener(PlatformTransactionManager manager, String name) {
            this.manager = manager;
            this.name = name;
        }

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            if (failure == null && transaction.hasTransaction()) {
                add(new BegunTransaction(name + " (" + manager.getClass().getName() + ")", transaction, isOfJournal()));
            }
        }

        private boolean isOfJournal() {
            DataSource journal = dataSource;
            if (journal == null) {
                return false;
            }
            return (manager instanceof ResourceTransactionManager ofResource
                            && ofResource.getResourceFactory() == journal)
                    || JtaManagers.isJta(manager)
                    || isBoundByManager(journal);
        }

        /** JPA's and Hibernate's managers bind the connection that their session uses, and leave its synchronization alone. */
        private boolean isBoundByManager(DataSource journal) {
            return TransactionSynchronizationManager.getResource(journal) instanceof ConnectionHolder holder
                    && !holder.isSynchronizedWithTransaction();
        }

        /** Is called after the hooks that may still write, and right before the commit. */
        @Override
        public void beforeCommit(TransactionExecution transaction) {
            markEnding(transaction);
        }

        @Override
        public void beforeRollback(TransactionExecution transaction) {
            markEnding(transaction);
        }

        /** Is called after the last hook. */
        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            remove(transaction);
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
            remove(transaction);
        }
    }
}
