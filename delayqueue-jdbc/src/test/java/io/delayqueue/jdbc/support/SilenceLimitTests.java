package io.delayqueue.jdbc.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Servers that do not answer, though their connections stay open. */
class SilenceLimitTests {

    /** The journal's threads would wait for it, and all topics with them. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aTransactionWhoseServerStandsStillFailsAndOthersGoOn(TestDatabase database) {
        DataSource dataSource = database.dataSource();
        JdbcClient jdbc = JdbcClient.create(dataSource);
        JournalTransaction transaction =
                new JournalTransaction(dataSource, Dialect.of(dataSource), Duration.ofSeconds(2));
        AtomicLong frozen = new AtomicLong();
        try {
            CompletableFuture<Integer> answer = CompletableFuture.supplyAsync(() -> transaction.executeOnce(() -> {
                frozen.set(jdbc.sql("SELECT pg_backend_pid()").query(Long.class).single());
                signal("STOP", frozen.get());
                return jdbc.sql("SELECT 1").query(Integer.class).single();
            }));

            assertThat(answer)
                    .failsWithin(Duration.ofSeconds(60))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(RuntimeException.class);
            assertThat(transaction.execute(
                            () -> jdbc.sql("SELECT 2").query(Integer.class).single()))
                    .isEqualTo(2);
        } finally {
            if (frozen.get() != 0) {
                signal("CONT", frozen.get());
            }
        }
    }

    @EachDatabase
    void theLimitEndsWithTheTransaction(TestDatabase database) throws SQLException {
        SingleConnectionDataSource dataSource = new SingleConnectionDataSource(database.url(), true);
        try (Connection connection = dataSource.getConnection()) {
            JdbcTemplate jdbc = new JdbcTemplate(dataSource);
            JournalTransaction transaction = new JournalTransaction(dataSource, Dialect.of(dataSource));
            int before = connection.getNetworkTimeout();

            Integer within = transaction.execute(
                    () -> jdbc.execute((ConnectionCallback<Integer>) Connection::getNetworkTimeout));

            // H2 has no network here
            assertThat(within).isEqualTo(database.kind() == DatabaseKind.H2 ? 0 : 60_000);
            assertThat(connection.getNetworkTimeout()).isEqualTo(before).isNotEqualTo(60_000);
        } finally {
            dataSource.destroy();
        }
    }

    private static void signal(String name, long process) {
        try {
            int status = new ProcessBuilder("kill", "-" + name, Long.toString(process))
                    .inheritIO()
                    .start()
                    .waitFor();
            assertThat(status).as("kill -" + name).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
