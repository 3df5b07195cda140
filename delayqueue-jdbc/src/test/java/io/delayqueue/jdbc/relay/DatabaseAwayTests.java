package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.MINE;
import static io.delayqueue.jdbc.relay.OutboxFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.jdbc.outbox.CommittedChange;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** No loop ends on an outage of the database, or on one that turned read-only. */
class DatabaseAwayTests {

    private static final OutboxSettings SETTINGS =
            new OutboxSettings(Duration.ofSeconds(10), 500, Duration.ofMillis(100), 100, 10);

    private final RedisFixture redis = new RedisFixture();

    @AfterEach
    void close() {
        redis.close();
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void goOnAfterAnOutage(TestDatabase database) throws Exception {
        OutboxFixture rows = fixture(database);
        String name = database.url().replaceAll(".*/([^?]+).*", "$1");
        try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, SETTINGS);
                QueuedHandOver handOver =
                        new QueuedHandOver(rows.database, redis.outbox, OutboxListener.NONE, SETTINGS, MINE)) {
            relay.start();
            handOver.start();
            rows.scheduled("before", "aaaaaaaa", 1, ENDED);
            await().until(() -> rows.outboxRows() == 0);

            admin(database, "ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
            admin(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'");
            CommittedChange lost = new CommittedChange(key("later"), "bbbbbbbb");
            handOver.offer(List.of(lost));
            assertThat(lost.answer().get(20, TimeUnit.SECONDS)).isEmpty();
            await().until(() -> relay.isFailing() && handOver.isFailing());

            admin(database, "ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
            await().ignoreExceptions().untilAsserted(() -> rows.scheduled("later", "bbbbbbbb", 1, ENDED));
            await().atMost(Duration.ofSeconds(30)).until(() -> rows.outboxRows() == 0);
            assertThat(relay.isFailing()).isFalse();
        }
        assertThat(redis.outbox.appliedTokens()).containsExactly("aaaaaaaa", "bbbbbbbb");
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void goOnWhenTheDatabaseIsNotReadOnlyAnyMore(TestDatabase database) throws Exception {
        OutboxFixture rows = fixture(database);
        String name = database.url().replaceAll(".*/([^?]+).*", "$1");
        rows.scheduled("a", "aaaaaaaa", 1, ENDED);
        try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, SETTINGS)) {
            admin(database, "ALTER DATABASE " + name + " SET default_transaction_read_only = on");
            evictConnections(rows);
            relay.start();
            await().until(relay::isFailing);
            assertThat(rows.outboxRows()).isEqualTo(1);

            admin(database, "ALTER DATABASE " + name + " SET default_transaction_read_only = off");
            evictConnections(rows);
            await().atMost(Duration.ofSeconds(30)).until(() -> rows.outboxRows() == 0);
        }
        assertThat(redis.outbox.appliedTokens()).containsExactly("aaaaaaaa");
    }

    private static OutboxFixture fixture(TestDatabase database) {
        database.withSchema();
        return new OutboxFixture(database.dataSource(pool -> pool.setConnectionTimeout(1_000)));
    }

    private static void evictConnections(OutboxFixture rows) {
        ((HikariDataSource) rows.database.dataSource()).getHikariPoolMXBean().softEvictConnections();
    }

    private static void admin(TestDatabase database, String sql) throws Exception {
        String url = database.url().replaceAll("/[^/?]+(\\?|$)", "/postgres$1");
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
