package io.delayqueue.jdbc.support;

import io.delayqueue.jdbc.dialect.Dialect;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Transactions of the journal's own. They read what is committed, find rows by indexes, wait for locks of others with a limit where the
 * database knows one, and are repeated after conflicts such as deadlocks. One whose server is silent for a minute fails.
 */
public final class JournalTransaction {

    /** Two transactions that meet again each time would need a third one for that. */
    private static final int MOST_ATTEMPTS = 5;

    /** About the time that another one needs to end, doubled with each attempt. */
    private static final long PAUSE_NANOS = 5_000_000;

    /** The journal's longest statements take seconds. */
    private static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);

    private final Dialect dialect;
    private final JdbcOperations jdbc;
    private final SilenceLimit silence;
    private final TransactionTemplate template;
    private final Optional<String> settings;
    private final Optional<String> unflushedSettings;

    /** Transactions of a database, each apart from the caller's, if it has one. */
    public JournalTransaction(DataSource dataSource, Dialect dialect) {
        this(dataSource, dialect, LONGEST_SILENCE);
    }

    JournalTransaction(DataSource dataSource, Dialect dialect, Duration longestSilence) {
        this.dialect = dialect;
        this.jdbc = new JdbcTemplate(dataSource);
        this.silence = new SilenceLimit(jdbc, longestSilence);
        this.settings = dialect.transactionSettings();
        this.unflushedSettings = dialect.unflushedTransactionSettings();
        this.template = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        if (settings.isEmpty()) {
            template.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        }
    }

    /**
     * Does work in a transaction, again from the beginning after a conflict.
     *
     * @throws DataAccessException if the last attempt fails, or one fails otherwise
     */
    public <T> T execute(Supplier<T> work) {
        return repeat(settings, work);
    }

    /**
     * The same for work that may be done again. The commit does not wait for the disk if the database can do without, and a crash of the
     * database may take the last ones back.
     */
    public <T> T executeUnflushed(Supplier<T> work) {
        return repeat(unflushedSettings, work);
    }

    /** The same, but once only: after a conflict, such as a lock that others have held for too long, it fails. */
    public <T> T executeOnce(Supplier<T> work) {
        return attempt(settings, work);
    }

    /**
     * Does work as {@link #execute} does, but waits for rows that others hold for a moment only.
     *
     * @return the result; empty if another transaction holds a row, and nothing was changed
     */
    public <T> Optional<T> executeUnlessHeld(Supplier<T> work) {
        try {
            return Optional.of(
                    repeat(settings, failure -> !dialect.isHeld(failure), () -> dialect.impatiently(jdbc, work)));
        } catch (DataAccessException e) {
            if (dialect.isHeld(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Reads rows that others did not commit, where the database shows them; empty where it does not. */
    public <T> Optional<T> readUncommitted(Supplier<T> work) {
        return dialect.uncommittedSettings().map(uncommitted -> repeat(Optional.of(uncommitted), work));
    }

    /** Does work without a result. */
    public void run(Runnable work) {
        execute(() -> {
            work.run();
            return true;
        });
    }

    private <T> T repeat(Optional<String> with, Supplier<T> work) {
        return repeat(with, failure -> true, work);
    }

    private <T> T repeat(Optional<String> with, Predicate<DataAccessException> some, Supplier<T> work) {
        for (int attempt = 1; ; attempt++) {
            try {
                return attempt(with, work);
            } catch (DataAccessException e) {
                if (attempt == MOST_ATTEMPTS || !some.test(e) || !dialect.isRepeatable(e)) {
                    throw e;
                }
                pause(attempt);
            }
        }
    }

    private <T> T attempt(Optional<String> with, Supplier<T> work) {
        try {
            return template.execute(status -> {
                silence.begin();
                with.ifPresent(jdbc::execute);
                return dialect.limitingWaits(jdbc, work);
            });
        } catch (CannotCreateTransactionException e) {
            throw new DataAccessResourceFailureException(
                    "The journal's database gives no connection: it is unavailable, or the pool has none left", e);
        }
    }

    private static void pause(int attempt) {
        long longest = PAUSE_NANOS << attempt;
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(longest / 2, longest));
    }
}
