package io.delayqueue.jdbc.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Measures how many rows a second one instance deletes, on one machine with the database. */
@Tag("soak")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class PruneRateTests {

    private static final int ROWS = Integer.getInteger("delayqueue.rate.rows", 100_000);

    /** A quarter of the aim, in rows a second: other tests may run beside. */
    private static final int FLOOR = 2_000;

    private static final Duration INTAKE = Duration.ofSeconds(20);

    private static final RetentionSettings SETTINGS = new RetentionSettings(
            Map.of("ACKED", Duration.ofDays(7)),
            Duration.ofDays(30),
            Duration.ofDays(30),
            1_000,
            Duration.ofSeconds(10));

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void rowsASecond(TestDatabase database) {
        measure(database, new JournalRows(database), "");
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void rowsASecondWhileAnOldSnapshotIsHeld(TestDatabase database) throws SQLException {
        JournalRows rows = new JournalRows(database);
        try (Connection old = DriverManager.getConnection(database.url());
                Statement statement = old.createStatement()) {
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            old.setAutoCommit(false);
            statement.executeQuery("SELECT COUNT(*) FROM delayqueue_message");
            measure(database, rows, ", old snapshot");
        }
    }

    /** Rows that are too old come in as fast as one thread can write them. That a pruner keeps up with it is not promised. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void rowsASecondWhileRowsComeIn(TestDatabase database) throws Exception {
        JournalRows rows = new JournalRows(database);
        AtomicInteger added = new AtomicInteger();
        long began = System.nanoTime();
        BooleanSupplier goesOn = () -> System.nanoTime() - began < INTAKE.toNanos();
        CompletableFuture<Void> intake = CompletableFuture.runAsync(() -> {
            for (int i = 0; goesOn.getAsBoolean(); i++) {
                rows.messages(1_000, "m" + i, "ACKED", 8);
                rows.events(1_000, "e" + i, 31);
                added.addAndGet(2_000);
            }
        });
        try (Pruner pruner = rows.pruner(SETTINGS)) {
            while (goesOn.getAsBoolean()) {
                pruner.runOnce();
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            double deleted = pruner.pruned() / seconds;
            System.out.printf(
                    "%s: %,.0f rows/s came in, %,.0f rows/s were deleted%n", database, added.get() / seconds, deleted);
            intake.get(1, TimeUnit.MINUTES);
            assertThat(added.get() / seconds).as("rows that came in, a second").isGreaterThan(FLOOR);
            assertThat(deleted).as("rows a second").isGreaterThan(FLOOR);
            while (pruner.runOnce()) {
                // the rest
            }
            assertThat(pruner.pruned()).as("all that came in").isEqualTo(added.get());
        }
    }

    private static void measure(TestDatabase database, JournalRows rows, String with) {
        for (int i = 0; i < ROWS; i += 10_000) {
            rows.messages(10_000, "m" + i, "ACKED", 8);
            rows.events(10_000, "e" + i, 31);
        }
        try (Pruner pruner = rows.pruner(SETTINGS)) {
            long began = System.nanoTime();
            while (pruner.runOnce()) {
                // the next batches
            }
            double rate = 2 * ROWS * 1e9 / (System.nanoTime() - began);
            System.out.printf("%s%s: %,.0f rows/s%n", database, with, rate);
            assertThat(rate).as("rows a second").isGreaterThan(FLOOR);
            assertThat(pruner.pruned()).isEqualTo(2 * ROWS);
        }
    }
}
