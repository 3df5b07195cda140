package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.outbox.BegunTransactions.BegunTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Finds out whether a call can write in its caller's transaction. */
public final class CallerTransaction {

    private final DataSource dataSource;
    private final String dataSourceName;
    private final BegunTransactions begun;

    /**
     * The caller's transactions of the journal's DataSource.
     *
     * @param dataSourceName name of its bean, for messages of errors
     */
    public CallerTransaction(DataSource dataSource, String dataSourceName, BegunTransactions begun) {
        this.dataSource = dataSource;
        this.dataSourceName = dataSourceName;
        this.begun = begun;
        begun.useDataSource(dataSource);
    }

    /** The state of the caller's transaction. */
    enum State {
        /** There is none: the call needs one of its own. */
        NONE,
        /** The call writes in it. */
        ACTIVE,
        /** Its commit or rollback has begun, and hooks run: the call needs a transaction of its own beside it. */
        ENDING
    }

    /**
     * The state of the caller's transaction.
     *
     * @throws UnsuitableTransactionException if there is one that can't write to the journal
     */
    State state() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return State.NONE;
        }
        BegunTransaction transaction = begun.ofJournal();
        boolean hooksAreTaken = !TransactionSynchronizationManager.isSynchronizationActive();
        if (hooksAreTaken || (transaction != null && transaction.isEnding())) {
            return State.ENDING;
        }
        if (transaction == null && HooksAfterCommit.isInside()) {
            throw new UnsuitableTransactionException(
                    "The call is in a hook after the commit of the transaction" + named()
                            + ", whose manager the journal can't listen to, so it can't tell which transaction the call belongs to."
                            + " Make the transaction manager a bean. Nothing was written");
        }
        if (transaction == null && !isBound()) {
            throw new UnsuitableTransactionException("The transaction" + named() + " of "
                    + manager() + " does not use the journal's DataSource '" + dataSourceName
                    + "', so messages can't be recorded in it. Use a transaction of that DataSource, or make the call in"
                    + " a method with @Transactional(propagation = REQUIRES_NEW) of its manager, or NOT_SUPPORTED;"
                    + " if the transaction's own DataSource should have the journal, give it the name or"
                    + " qualifier 'delayQueueJournalDataSource'. Nothing was written");
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new UnsuitableTransactionException("The transaction" + named()
                    + " is read-only, so messages can't be recorded in the journal. Let it write, or make the call in"
                    + " @Transactional(propagation = REQUIRES_NEW or NOT_SUPPORTED). Nothing was written");
        }
        return State.ACTIVE;
    }

    private static String named() {
        String name = TransactionSynchronizationManager.getCurrentTransactionName();
        return name == null ? "" : " '" + name + "'";
    }

    private String manager() {
        BegunTransaction innermost = begun.innermost();
        return innermost == null ? "an unknown transaction manager" : innermost.manager();
    }

    /** Whether a manager that has no listener began a transaction on the journal's DataSource. */
    private boolean isBound() {
        if (!(TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder)) {
            return false;
        }
        // bound by the manager itself; else by the manager, or by statements inside a transaction of another DataSource
        return !holder.isSynchronizedWithTransaction() || (begun.innermost() == null && !isAutoCommit());
    }

    private boolean isAutoCommit() {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return connection.getAutoCommit();
        } catch (SQLException e) {
            return true;
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /**
     * Does work beside a transaction that is {@link State#ENDING}, on another connection. Not every manager gives up its own when
     * another one begins a transaction.
     *
     * @throws DataAccessResourceFailureException if there is no other connection
     */
    void beside(Runnable work) {
        @Nullable Object connection = TransactionSynchronizationManager.unbindResourceIfPossible(dataSource);
        try {
            work.run();
        } catch (DataAccessResourceFailureException e) {
            throw new DataAccessResourceFailureException(
                    "The call is in a hook after the end of the transaction" + named()
                            + ", which still has its connection, and there is no second one: the pool of the DataSource '"
                            + dataSourceName
                            + "' has none left, or the database is unavailable. Make the pool larger, or make the"
                            + " call before the commit. Nothing was written",
                    e);
        } finally {
            if (connection != null) {
                TransactionSynchronizationManager.bindResource(dataSource, connection);
            }
        }
    }
}
