package io.delayqueue.jdbc.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutboxOptions;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Measures how many rows a second one relay sends, on one machine with the database and Redis. */
@Tag("soak")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class RelayRateTests {

    private static final int ROWS = Integer.getInteger("delayqueue.rate.rows", 50_000);

    /** A quarter of the aim, in rows a second: other tests may run beside. */
    private static final int FLOOR = 5_000;

    /** Statements that change the schema before the measurement, to compare indexes. */
    private static final String SCHEMA = System.getProperty("delayqueue.rate.schema", "");

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void rowsASecond(TestDatabase database) {
        measure(database);
    }

    /** A report, a dump or a forgotten session may hold a snapshot for hours: no dead row is cleaned up meanwhile. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void rowsASecondWhileAnOldSnapshotIsHeld(TestDatabase database) throws SQLException {
        database.withSchema();
        try (Connection old = DriverManager.getConnection(database.url());
                Statement statement = old.createStatement()) {
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            old.setAutoCommit(false);
            statement.executeQuery("SELECT COUNT(*) FROM delayqueue_outbox");
            measure(database);
        }
    }

    private static void measure(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        for (String statement : SCHEMA.split(";")) {
            if (!statement.isBlank()) {
                rows.jdbc.sql(statement).update();
            }
        }
        try (RedisFixture redis = new RedisFixture();
                Relay relay = new Relay(
                        rows.database,
                        redis.client.outbox(OutboxOptions.DEFAULTS),
                        OutboxListener.NONE,
                        OutboxSettings.DEFAULTS)) {
            double best = 0;
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < ROWS; i += 5_000) {
                    rows.scheduled(5_000, "r" + round + "-" + i + "-");
                }
                long began = System.nanoTime();
                assertThat(relay.runOnce()).isEqualTo(ROWS);
                double rate = ROWS * 1e9 / (System.nanoTime() - began);
                System.out.printf("%s round %d: %,.0f rows/s%n", database, round, rate);
                best = Math.max(best, rate);
            }
            assertThat(best).as("rows a second").isGreaterThan(FLOOR);
            assertThat(rows.outboxRows()).isZero();
            assertThat(redis.client.stats(OutboxFixture.TOPIC).totals().accepted())
                    .isEqualTo(3L * ROWS);
        }
    }
}
