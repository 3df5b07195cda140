package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The database reads each row a few times, not all rows for each: also while it has no statistics of its tables, or old ones. */
@Tag("slow")
class RelayReadsTests {

    private static final int ROWS = 5_000;

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void readsFewRowsWithoutStatistics(TestDatabase database) {
        OutboxFixture rows = postgreSql(database);
        rows.jdbc
                .sql("ALTER TABLE delayqueue_message SET (autovacuum_enabled = off)")
                .update();
        rows.jdbc
                .sql("ALTER TABLE delayqueue_outbox SET (autovacuum_enabled = off)")
                .update();
        assertReadsFewRows(rows);
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void readsFewRowsWithStatisticsOfEmptyTables(TestDatabase database) {
        OutboxFixture rows = postgreSql(database);
        rows.jdbc
                .sql("ALTER TABLE delayqueue_message SET (autovacuum_enabled = off)")
                .update();
        rows.jdbc
                .sql("ALTER TABLE delayqueue_outbox SET (autovacuum_enabled = off)")
                .update();
        rows.jdbc.sql("VACUUM ANALYZE delayqueue_message").update();
        rows.jdbc.sql("VACUUM ANALYZE delayqueue_outbox").update();
        assertReadsFewRows(rows);
    }

    private void assertReadsFewRows(OutboxFixture rows) {
        rows.scheduled(ROWS, "m");
        closeConnections(rows);
        long before = postgresReads(rows);
        relay(rows);

        closeConnections(rows);
        assertThat(postgresReads(rows) - before).isBetween(3L * ROWS, 12L * ROWS);
    }

    /** Rows by connections that the server can name. */
    private static OutboxFixture postgreSql(TestDatabase database) {
        database.withSchema();
        return new OutboxFixture(
                database.dataSource(pool -> pool.setConnectionInitSql("SET application_name = 'journal'")));
    }

    /** At their end, they have told the statistics everything. */
    private static void closeConnections(OutboxFixture rows) {
        HikariDataSource pool = (HikariDataSource) rows.database.dataSource();
        pool.getHikariPoolMXBean().softEvictConnections();
        await().until(() -> rows.jdbc
                        .sql("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND application_name = 'journal' AND pid <> pg_backend_pid()")
                        .query(Long.class)
                        .single()
                == 0);
    }

    private static long postgresReads(OutboxFixture rows) {
        return rows.jdbc
                .sql("SELECT SUM(COALESCE(seq_tup_read, 0) + COALESCE(idx_tup_fetch, 0)) FROM pg_stat_user_tables"
                        + " WHERE relname LIKE 'delayqueue_%'")
                .query(Long.class)
                .single();
    }

    @EachDatabase(DatabaseKind.MARIADB)
    void readsFewRows(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(ROWS, "m");
        long before = mariaDbReads(rows);
        relay(rows);

        assertThat(mariaDbReads(rows) - before).isBetween(3L * ROWS, 20L * ROWS);
    }

    private static long mariaDbReads(OutboxFixture rows) {
        return rows.jdbc
                .sql("SELECT SUM(VARIABLE_VALUE) FROM information_schema.GLOBAL_STATUS"
                        + " WHERE VARIABLE_NAME LIKE 'HANDLER_READ_%'")
                .query(Long.class)
                .single();
    }

    /** Ids that were used often before must not be read with all their past. */
    @EachDatabase
    void readsAnIdsPresentMessageOnly(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        for (int i = 0; i < 300; i++) {
            rows.message("a", String.format("old%05d", i), 0, "x".repeat(1_000).getBytes(StandardCharsets.US_ASCII));
        }
        rows.jdbc
                .sql("UPDATE delayqueue_message SET status = 'ACKED', finished = created")
                .update();
        rows.scheduled("a", "aaaaaaaa", 1, OutboxFixture.ENDED);
        relay(rows);

        assertThat(redis.outbox.appliedTokens()).containsExactly("aaaaaaaa");
        assertThat(rows.status("a", "aaaaaaaa")).isEqualTo("SCHEDULED");
        assertThat(rows.status("a", "old00007")).isEqualTo("ACKED");
    }

    private void relay(OutboxFixture rows) {
        try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
            relay.runOnce();
        }
        assertThat(rows.outboxRows()).isZero();
    }
}
