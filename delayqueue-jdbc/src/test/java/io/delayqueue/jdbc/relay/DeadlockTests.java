package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A relay whose transaction is the victim of a deadlock repeats it, and sends nothing again for that. */
class DeadlockTests {

    /** The database may choose the other transaction as the victim. */
    private static final int MOST_DEADLOCKS = 5;

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void repeatsTheTransactionThatWasTheVictim(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.messages(
                IntStream.range(0, 500).mapToObj(i -> "other" + i).toList(),
                Collections.nCopies(500, "other000"),
                0,
                new byte[1]);
        int sent = 0;
        boolean relayWasVictim = false;
        while (!relayWasVictim && sent < MOST_DEADLOCKS) {
            relayWasVictim = deadlock(database, rows);
            sent++;
        }
        await().until(() -> hasSeenDeadlock(rows));
        assertThat(relayWasVictim).isTrue();
        assertThat(rows.outboxRows()).isZero();
        assertThat(redis.outbox.applied).hasSize(2 * sent);
        assertThat(redis.outbox.repeated).hasValue(0);
    }

    /** A transaction such as the audit's changes the messages of two rows in the other order; whether it survived. */
    private static boolean deadlock(TestDatabase database, OutboxFixture rows) throws Exception {
        rows.jdbc
                .sql("DELETE FROM delayqueue_message WHERE generation = 'deadlock'")
                .update();
        rows.scheduled("a", "deadlock", 1, ENDED);
        rows.scheduled("b", "deadlock", 1, ENDED);
        redis.client.cancel(OutboxFixture.TOPIC, "a");
        redis.client.cancel(OutboxFixture.TOPIC, "b");
        try (Connection connection = DriverManager.getConnection(database.url());
                Statement other = connection.createStatement();
                Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            connection.setAutoCommit(false);
            // so much that InnoDB rather rolls back the relay
            other.executeUpdate("UPDATE delayqueue_message SET attempts = 1 WHERE generation = 'other000'");
            other.executeUpdate("UPDATE delayqueue_message SET attempts = 1 WHERE topic = 'orders' AND id = 'b'");
            CompletableFuture<Integer> pass = CompletableFuture.supplyAsync(relay::runOnce);
            await().until(database::isSomebodyWaiting);
            boolean survived = update(other);
            connection.commit();
            assertThat(pass.get(1, TimeUnit.MINUTES)).isEqualTo(2);
            return survived;
        }
    }

    private static boolean update(Statement other) {
        try {
            other.executeUpdate("UPDATE delayqueue_message SET attempts = 1 WHERE topic = 'orders' AND id = 'a'");
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    private static boolean hasSeenDeadlock(OutboxFixture rows) {
        if (isPostgres(rows)) {
            return number(rows, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") > 0;
        }
        String status = (String)
                rows.jdbc.sql("SHOW ENGINE INNODB STATUS").query().singleRow().get("Status");
        String database = rows.jdbc.sql("SELECT DATABASE()").query(String.class).single();
        return status.contains("LATEST DETECTED DEADLOCK")
                && status.replaceAll("(?s).*LATEST DETECTED DEADLOCK(.*?)\nTRANSACTIONS\n.*", "$1")
                        .contains(database);
    }

    private static boolean isPostgres(OutboxFixture rows) {
        return rows.database.dialect().platform().equals("postgresql");
    }

    private static long number(OutboxFixture rows, String sql) {
        return rows.jdbc.sql(sql).query(Long.class).single();
    }
}
