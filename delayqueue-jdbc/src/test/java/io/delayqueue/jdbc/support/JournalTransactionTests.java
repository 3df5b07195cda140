package io.delayqueue.jdbc.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

@Everyday(DatabaseKind.MARIADB)
class JournalTransactionTests {

    @EachDatabase
    void repeatsATransactionThatLostADeadlock(TestDatabase database) throws Exception {
        DataSource dataSource = database.dataSource();
        JdbcClient jdbc = JdbcClient.create(dataSource);
        jdbc.sql("CREATE TABLE counters (id INTEGER PRIMARY KEY, number INTEGER)")
                .update();
        jdbc.sql("INSERT INTO counters VALUES (1, 0), (2, 0)").update();
        JournalTransaction transaction = new JournalTransaction(dataSource, Dialect.of(dataSource));
        CyclicBarrier bothHoldOne = new CyclicBarrier(2);
        AtomicInteger attempts = new AtomicInteger();

        CompletableFuture<Void> other =
                CompletableFuture.runAsync(() -> raise(transaction, jdbc, 2, 1, bothHoldOne, attempts));
        raise(transaction, jdbc, 1, 2, bothHoldOne, attempts);
        other.get(60, TimeUnit.SECONDS);

        assertThat(attempts).hasValueGreaterThan(2);
        assertThat(jdbc.sql("SELECT SUM(number) FROM counters")
                        .query(Integer.class)
                        .single())
                .isEqualTo(4);
    }

    private static void raise(
            JournalTransaction transaction,
            JdbcClient jdbc,
            int first,
            int second,
            CyclicBarrier bothHoldOne,
            AtomicInteger attempts) {
        AtomicInteger own = new AtomicInteger();
        transaction.run(() -> {
            attempts.incrementAndGet();
            jdbc.sql("UPDATE counters SET number = number + 1 WHERE id = ?")
                    .param(first)
                    .update();
            if (own.incrementAndGet() == 1) {
                meet(bothHoldOne);
            }
            jdbc.sql("UPDATE counters SET number = number + 1 WHERE id = ?")
                    .param(second)
                    .update();
        });
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** As of an instance that froze: others give their connections back, and may go on when the server has ended it. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void waitsForLocksNotWithoutEnd(TestDatabase database) {
        DataSource dataSource = database.dataSource();
        JdbcClient jdbc = JdbcClient.create(dataSource);
        jdbc.sql("CREATE TABLE held (id INTEGER PRIMARY KEY)").update();
        jdbc.sql("INSERT INTO held VALUES (1)").update();
        JournalTransaction transaction = new JournalTransaction(dataSource, Dialect.of(dataSource));
        AtomicInteger attempts = new AtomicInteger();

        transaction.execute(() -> {
            jdbc.sql("DELETE FROM held").update();
            assertThat(jdbc.sql("SHOW idle_in_transaction_session_timeout")
                            .query(String.class)
                            .single())
                    .isEqualTo("30s");
            assertThat(CompletableFuture.supplyAsync(() -> transaction.execute(() -> {
                        attempts.incrementAndGet();
                        return jdbc.sql("DELETE FROM held").update();
                    })))
                    .failsWithin(Duration.ofMinutes(1))
                    .withThrowableOfType(ExecutionException.class)
                    .withMessageContaining("lock timeout");
            return true;
        });

        assertThat(attempts).as("without a pause").hasValue(1);
        assertThat(jdbc.sql("SHOW lock_timeout").query(String.class).single())
                .as("of callers' transactions")
                .isEqualTo("0");
    }

    /** The limit of the server is 50 s, and the session belongs to the pool. */
    @EachDatabase({DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void waitsForLocksNotAsLongAsCallersDo(TestDatabase database) {
        DataSource dataSource = database.dataSource(pool -> pool.setMaximumPoolSize(2));
        JdbcClient jdbc = JdbcClient.create(dataSource);
        jdbc.sql("CREATE TABLE held (id INTEGER PRIMARY KEY)").update();
        jdbc.sql("INSERT INTO held VALUES (1)").update();
        JournalTransaction transaction = new JournalTransaction(dataSource, Dialect.of(dataSource));
        AtomicInteger attempts = new AtomicInteger();

        transaction.execute(() -> {
            jdbc.sql("DELETE FROM held").update();
            assertThat(jdbc.sql("SELECT @@innodb_lock_wait_timeout")
                            .query(Integer.class)
                            .single())
                    .isEqualTo(5);
            assertThat(CompletableFuture.supplyAsync(() -> transaction.execute(() -> {
                        attempts.incrementAndGet();
                        return jdbc.sql("DELETE FROM held").update();
                    })))
                    .failsWithin(Duration.ofSeconds(45))
                    .withThrowableOfType(ExecutionException.class)
                    .withMessageContaining("Lock wait timeout");
            return true;
        });

        assertThat(attempts).as("without a pause").hasValue(1);
        for (int i = 0; i < 4; i++) {
            assertThat(jdbc.sql("SELECT @@innodb_lock_wait_timeout")
                            .query(Integer.class)
                            .single())
                    .as("of callers' transactions")
                    .isEqualTo(50);
        }
    }

    /** MariaDB's and MySQL's own isolation would show the first look's rows again. */
    @EachDatabase
    void readsWhatOthersCommitMeanwhile(TestDatabase database) {
        DataSource dataSource = database.dataSource();
        JdbcClient jdbc = JdbcClient.create(dataSource);
        jdbc.sql("CREATE TABLE looked_at (id INTEGER PRIMARY KEY)").update();
        JournalTransaction transaction = new JournalTransaction(dataSource, Dialect.of(dataSource));

        for (int id = 1; id <= 2; id++) {
            int added = id;
            transaction.run(() -> {
                int before = count(jdbc);
                CompletableFuture.runAsync(() -> jdbc.sql("INSERT INTO looked_at VALUES (?)")
                                .param(added)
                                .update())
                        .orTimeout(60, TimeUnit.SECONDS)
                        .join();

                assertThat(count(jdbc)).isEqualTo(before + 1);
            });
        }
    }

    private static int count(JdbcClient jdbc) {
        return jdbc.sql("SELECT COUNT(*) FROM looked_at").query(Integer.class).single();
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void waitsForTheDiskUnlessTheWorkMayBeDoneAgain(TestDatabase database) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            DataSource dataSource = new SingleConnectionDataSource(connection, true);
            JdbcClient jdbc = JdbcClient.create(dataSource);
            jdbc.sql("SET synchronous_commit = on").update();
            JournalTransaction transaction = new JournalTransaction(dataSource, Dialect.of(dataSource));

            assertThat(transaction.executeUnflushed(() -> setting(jdbc, "synchronous_commit")))
                    .isEqualTo("off");
            assertThat(transaction.execute(() -> setting(jdbc, "synchronous_commit")))
                    .isEqualTo("on");
        }
    }

    private static String setting(JdbcClient jdbc, String name) {
        return jdbc.sql("SELECT current_setting(?)")
                .param(name)
                .query(String.class)
                .single();
    }

    /** The commonest failure has to be of the type that users catch. */
    @EachDatabase(DatabaseKind.H2)
    void aDatabaseThatIsDownIsADataAccessException(TestDatabase database) {
        DataSource away = new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                throw new SQLTransientConnectionException("no connection");
            }

            @Override
            public Connection getConnection(String user, String password) throws SQLException {
                return getConnection();
            }
        };
        JournalTransaction transaction = new JournalTransaction(away, Dialect.of(database.dataSource()));

        assertThatExceptionOfType(DataAccessResourceFailureException.class)
                .isThrownBy(() -> transaction.run(() -> {}))
                .withMessageContaining("gives no connection")
                .withRootCauseInstanceOf(SQLTransientConnectionException.class);
    }

    @EachDatabase(DatabaseKind.H2)
    void repeatsNothingElse(TestDatabase database) {
        DataSource dataSource = database.dataSource();
        JournalTransaction transaction = new JournalTransaction(dataSource, Dialect.of(dataSource));
        AtomicInteger attempts = new AtomicInteger();

        assertThatExceptionOfType(DataAccessException.class)
                .isThrownBy(() -> transaction.run(() -> {
                    attempts.incrementAndGet();
                    JdbcClient.create(dataSource)
                            .sql("SELECT 1 FROM nowhere")
                            .query()
                            .singleRow();
                }));
        assertThat(attempts).hasValue(1);
    }
}
