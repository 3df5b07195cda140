package io.delayqueue.jdbc.support;

import io.delayqueue.jdbc.dialect.Dialect;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Transactions of the journal's own. They read what is committed, and are repeated after conflicts such as deadlocks.
 */
public final class JournalTransaction {

    /** Two transactions that meet again each time would need a third one for that. */
    private static final int MOST_ATTEMPTS = 5;

    /** About the time that another one needs to end, doubled with each attempt. */
    private static final long PAUSE_NANOS = 5_000_000;

    private final Dialect dialect;
    private final JdbcClient jdbc;
    private final TransactionTemplate template;

    /** Transactions of a database, each apart from the caller's, if it has one. */
    public JournalTransaction(DataSource dataSource, Dialect dialect) {
        this.dialect = dialect;
        this.jdbc = JdbcClient.create(dataSource);
        this.template = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        template.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
    }

    /**
     * Does work in a transaction, again from the beginning after a conflict.
     *
     * @throws DataAccessException if the last attempt fails, or one fails otherwise
     */
    public <T> T execute(Supplier<T> work) {
        for (int attempt = 1; ; attempt++) {
            try {
                return template.execute(status -> work.get());
            } catch (DataAccessException e) {
                if (attempt == MOST_ATTEMPTS || !dialect.isRepeatable(e)) {
                    throw e;
                }
                pause(attempt);
            }
        }
    }

    /** The same, with a database that finds rows by indexes, even while it has no statistics, and limits the wait for locks. */
    public <T> T executeByIndexes(Supplier<T> work) {
        return execute(() -> byIndexes(work));
    }

    /** The same, but once only: after a conflict, such as a lock that others have held for too long, it fails. */
    public <T> T executeOnce(Supplier<T> work) {
        return template.execute(status -> byIndexes(work));
    }

    private <T> T byIndexes(Supplier<T> work) {
        dialect.transactionSettings()
                .ifPresent(sql -> jdbc.sql(sql).query((row, number) -> true).single());
        return work.get();
    }

    /** Does work without a result. */
    public void run(Runnable work) {
        execute(() -> {
            work.run();
            return true;
        });
    }

    private static void pause(int attempt) {
        long longest = PAUSE_NANOS << attempt;
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(longest / 2, longest));
    }
}
