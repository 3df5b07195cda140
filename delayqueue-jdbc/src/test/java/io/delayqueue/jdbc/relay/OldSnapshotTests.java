package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * While somebody holds an old snapshot, PostgreSQL cleans up no removed row, and its index entries stay at the low end. A relay does not
 * walk through them again with each batch.
 */
class OldSnapshotTests {

    private static final int ROWS = 1_000;
    private static final int ROUNDS = 3;
    private static final OutboxSettings SMALL_BATCHES =
            new OutboxSettings(Duration.ofSeconds(10), 50, Duration.ofSeconds(1), 10, 10);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void readsNoMoreEntriesTheMoreRowsWereRemoved(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        try (Connection old = DriverManager.getConnection(database.url());
                Statement statement = old.createStatement()) {
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            old.setAutoCommit(false);
            statement.executeQuery("SELECT COUNT(*) FROM delayqueue_outbox");
            try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, SMALL_BATCHES)) {
                for (int round = 1; round <= ROUNDS; round++) {
                    rows.scheduled(ROWS, "r" + round + "-");
                    assertThat(relay.runOnce()).isEqualTo(ROWS);
                }
            }
            int removed = ROUNDS * ROWS;
            // connections tell their counts at their end
            ((HikariDataSource) rows.database.dataSource())
                    .getHikariPoolMXBean()
                    .softEvictConnections();
            await().until(() -> counted(rows, "n_tup_del", "pg_stat_user_tables") >= removed);
            // the snapshot really kept them: nothing of them could be cleaned up
            rows.jdbc.sql("VACUUM delayqueue_outbox").update();
            assertThat(counted(rows, "n_dead_tup", "pg_stat_user_tables")).isGreaterThanOrEqualTo(removed);
            // each batch reads itself, and each drain what was removed before it, but not each batch
            assertThat(entriesRead(rows)).isBetween((long) removed, 6L * removed);
        }
    }

    private static long entriesRead(OutboxFixture rows) {
        return rows.jdbc
                .sql("SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'delayqueue_outbox_send'")
                .query(Long.class)
                .single();
    }

    private static long counted(OutboxFixture rows, String column, String view) {
        return rows.jdbc
                .sql("SELECT " + column + " FROM " + view + " WHERE relname = 'delayqueue_outbox'")
                .query(Long.class)
                .single();
    }
}
