package io.delayqueue.jdbc.oracle;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.oracle.Work.Kind;
import io.delayqueue.spring.DelayQueueOperations;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Schedules, cancels and reschedules a few ids that all instances share, in transactions that commit or roll back, wholly or to a
 * savepoint. Each transaction writes down itself what it did.
 */
final class RandomTransactions {

    /** Ids of a topic in a second; after it they are left to their messages. */
    private static final int IDS = 15;

    private static final int LONGEST_DELAY_MILLIS = 1_500;

    private final String name;
    private final Log log;
    private final DelayQueueOperations queue;
    private final DataSource dataSource;
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final TransactionTemplate nested;
    private final long seed;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong schedules = new AtomicLong();
    private volatile boolean ended;

    /** @param seed of the run; instances and threads differ by their names */
    RandomTransactions(
            long seed,
            String name,
            Log log,
            DelayQueueOperations queue,
            DataSource dataSource,
            PlatformTransactionManager manager) {
        this.seed = seed;
        this.name = name;
        this.log = log;
        this.queue = queue;
        this.dataSource = dataSource;
        this.jdbc = new JdbcTemplate(dataSource);
        this.transaction = new TransactionTemplate(manager);
        this.nested = new TransactionTemplate(manager);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    }

    List<Thread> start(int threads) {
        return IntStream.range(0, threads)
                .mapToObj(i -> {
                    Random random = new Random(seed + 31L * name.hashCode() + i);
                    Thread thread = new Thread(() -> run(random), "work-" + i);
                    thread.setDaemon(true);
                    thread.start();
                    return thread;
                })
                .toList();
    }

    void end() {
        ended = true;
    }

    /** Schedule calls inside transactions, whatever became of them. */
    long schedules() {
        return schedules.get();
    }

    private void run(Random random) {
        while (!ended) {
            try {
                if (random.nextInt(10) == 0) {
                    withoutTransaction(random);
                } else {
                    inTransaction(random);
                }
            } catch (RuntimeException e) {
                // the table tells whether it was committed
                log.write(What.FAILED, kind(e), name(e), 0);
                Log.pause(50);
            }
            Log.pause(random.nextInt(40));
        }
    }

    private static String kind(RuntimeException e) {
        // a deadlock leaves no savepoint to roll back to
        boolean behindConflict = e instanceof TransactionSystemException failure
                && failure.getOriginalException() instanceof ConcurrencyFailureException;
        if (e instanceof ConcurrencyFailureException || behindConflict) {
            return Note.CONFLICT;
        }
        return e instanceof DataAccessException
                        || e instanceof TransactionException
                        || e instanceof DelayQueueException
                        || e instanceof SavepointException
                ? Note.FAILURE
                : Note.UNEXPECTED;
    }

    private static String name(RuntimeException e) {
        String cause = e.getCause() == null ? "" : "/" + e.getCause().getClass().getSimpleName();
        return e.getClass().getSimpleName() + cause;
    }

    /** The driver failed at a savepoint. */
    private static final class SavepointException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        SavepointException(SQLException cause) {
            super(cause);
        }
    }

    private String next() {
        return name + "-" + numbers.incrementAndGet();
    }

    private void withoutTransaction(Random random) {
        String id = (random.nextBoolean() ? Instance.OF_EFFECTS : "") + next();
        long delayMillis = random.nextInt(LONGEST_DELAY_MILLIS);
        log.write(What.INTENDED, id, id, delayMillis * 1_000);
        queue.message(Instance.topic(id), id)
                .id(id)
                .delay(Duration.ofMillis(delayMillis))
                .schedule();
        log.write(What.PROMISED, id, id, 0);
    }

    private void inTransaction(Random random) {
        String tx = next();
        transaction.executeWithoutResult(status -> {
            for (String id : ids(random)) {
                int dice = random.nextInt(20);
                if (dice < 3) {
                    nested.executeWithoutResult(inner -> {
                        change(tx, id, random);
                        if (random.nextBoolean()) {
                            inner.setRollbackOnly();
                        }
                    });
                } else if (dice == 3) {
                    behindSpringsBack(tx, id, random);
                } else {
                    change(tx, id, random);
                }
            }
            if (random.nextInt(6) == 0) {
                status.setRollbackOnly();
            }
        });
        log.write(What.RETURNED, tx, "-", 0);
    }

    /** In one order, mostly: else there are too many deadlocks. */
    private static List<String> ids(Random random) {
        long second = Log.micros() / 1_000_000;
        List<String> ids = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            long of = random.nextInt(20) == 0 ? second - 4 : second;
            ids.add((random.nextBoolean() ? Instance.OF_EFFECTS : "m") + of + "-" + random.nextInt(IDS));
        }
        if (random.nextInt(30) > 0) {
            Collections.sort(ids);
        }
        return ids;
    }

    private void behindSpringsBack(String tx, String id, Random random) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            Savepoint savepoint = connection.setSavepoint();
            change(tx, id, random);
            if (random.nextBoolean()) {
                connection.rollback(savepoint);
            }
        } catch (SQLException e) {
            throw new SavepointException(e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    private void change(String tx, String id, Random random) {
        long noted = Log.micros();
        Duration delay = Duration.ofMillis(random.nextInt(LONGEST_DELAY_MILLIS));
        switch (random.nextInt(5)) {
            case 0 -> {
                queue.cancel(Instance.topic(id), id);
                write(tx, id, Kind.CANCEL, "-", "-", noted, 0);
            }
            case 1 -> {
                queue.reschedule(Instance.topic(id), id, delay);
                write(tx, id, Kind.RESCHEDULE, "-", "-", noted, newDue(id));
            }
            default -> {
                schedules.incrementAndGet();
                String version = next();
                OutgoingMessage message = queue.message(Instance.topic(id), version)
                        .id(id)
                        .delay(delay)
                        .ifExists(policy(random))
                        .build();
                queue.schedule(message);
                write(tx, id, Kind.SCHEDULE, version, message.generation(), noted, due(id, message.generation()));
            }
        }
    }

    /** The time that the call wrote, not one that it may have meant: a delivery that is early by less than the call took is found, too. */
    private long due(String id, String generation) {
        Long due = jdbc.queryForObject(
                // a locking read: another one would begin a snapshot
                "SELECT due FROM delayqueue_message WHERE topic = ? AND id = ? AND generation = ? FOR UPDATE",
                Long.class,
                Instance.topic(id),
                id,
                generation);
        return Objects.requireNonNull(due);
    }

    /** The same of a reschedule, the last change of the id. */
    private long newDue(String id) {
        String operations = Objects.requireNonNull(jdbc.queryForObject(
                "SELECT operations FROM delayqueue_outbox WHERE topic = ? AND id = ? FOR UPDATE",
                String.class,
                Instance.topic(id),
                id));
        return Long.parseLong(operations.substring(operations.lastIndexOf(":d") + 2, operations.length() - 1));
    }

    private static DuplicatePolicy policy(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> DuplicatePolicy.REJECT;
            case 1 -> DuplicatePolicy.KEEP;
            default -> DuplicatePolicy.REPLACE;
        };
    }

    /** Behind the call, which waits for other transactions of the id: so the numbers grow in the order of commits. */
    private void write(String tx, String id, Kind kind, String version, String generation, long noted, long due) {
        jdbc.update(Work.INSERT, tx, id, kind.name(), version, generation, noted, due);
    }
}
