package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * MariaDB with {@code innodb_snapshot_isolation} refuses to lock a row that changed since the transaction's snapshot, by error 1020, and
 * rolls the transaction back.
 */
@Tag("slow")
class SnapshotIsolationTests {

    private static final int RECORD_CHANGED = 1020;

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    @EachDatabase(DatabaseKind.MARIADB)
    void aTransactionIsRepeatedAfterError1020(TestDatabase database) {
        database.withSchema();
        OutboxFixture rows = new OutboxFixture(database.dataSourceWithConflicts(pool -> {}));
        rows.scheduled("a", "aaaaaaaa", 1, ENDED);
        JdbcClient other = JdbcClient.create(database.dataSource());
        AtomicInteger attempts = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();

        new JournalTransaction(rows.database.dataSource(), rows.database.dialect()).run(() -> {
            if (attempts.incrementAndGet() == 1) {
                // as a transaction that has this isolation from its beginning
                rows.jdbc
                        .sql("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                        .update();
                rows.jdbc.sql("START TRANSACTION WITH CONSISTENT SNAPSHOT").update();
                rows.append(other, "a", "Ccccccccc;");
            }
            try {
                rows.append("a", "Sdddddddd;");
            } catch (DataAccessException e) {
                assertThat(e.getRootCause())
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                cause -> assertThat(cause.getErrorCode()).isEqualTo(RECORD_CHANGED));
                refused.incrementAndGet();
                throw e;
            }
        });

        assertThat(refused).hasValue(1);
        assertThat(attempts).hasValue(2);
        assertThat(rows.operations("a")).isEqualTo("Saaaaaaaa;Ccccccccc;Sdddddddd;");
    }

    /** The isolation of the application's pool does not count. */
    @EachDatabase(DatabaseKind.MARIADB)
    void relaysDrainRowsThatChangeMeanwhile(TestDatabase database) throws Exception {
        database.withSchema();
        OutboxFixture rows = new OutboxFixture(
                database.dataSourceWithConflicts(pool -> pool.setTransactionIsolation("TRANSACTION_REPEATABLE_READ")));
        List<String> ids = rows.scheduled(1_500, "m");
        AtomicBoolean drained = new AtomicBoolean();
        AtomicInteger changed = new AtomicInteger();
        // rows that are taken and not yet recorded change, whichever is quicker
        redis.outbox.beforeCall = operations -> {
            int before = changed.get();
            await().until(() -> drained.get() || changed.get() > before);
        };
        int taken = 0;
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            Future<?> writer = threads.submit(() -> {
                for (int i = 0; !drained.get(); i = (i + 7) % ids.size()) {
                    changed.addAndGet(rows.append(rows.jdbc, ids.get(i), "Ccccccccc;"));
                }
            });
            List<Future<Integer>> relays = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                relays.add(threads.submit(() -> {
                    try (Relay relay =
                            new Relay(rows.database, redis.outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
                        return relay.runOnce();
                    }
                }));
            }
            for (Future<Integer> relay : relays) {
                taken += relay.get(2, TimeUnit.MINUTES);
            }
            drained.set(true);
            writer.get(1, TimeUnit.MINUTES);
        } finally {
            drained.set(true);
            threads.shutdownNow();
        }

        assertThat(taken).isEqualTo(1_500);
        assertThat(redis.accepted()).isEqualTo(1_500);
    }
}
