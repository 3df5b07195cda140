package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.MINE;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static io.delayqueue.jdbc.relay.OutboxFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.Everyday;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.jdbc.outbox.CommittedChange;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No loop ends when the database turns read-only, as after a failover, and goes on when it is not any more. */
@Everyday(DatabaseKind.MARIADB)
class ReadOnlyDatabaseTests {

    private static final OutboxSettings SETTINGS =
            new OutboxSettings(Duration.ofSeconds(10), 100, Duration.ofMillis(100), 100, 10);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void goesOnWhenTheDatabaseIsNotReadOnlyAnyMore(TestDatabase database) throws Exception {
        try (DatabaseOutage outage = new DatabaseOutage(database)) {
            OutboxFixture rows = new OutboxFixture(outage.dataSource());
            rows.scheduled("left", "aaaaaaaa", 1, ENDED);
            rows.scheduled("mine", "bbbbbbbb", MINE, TimeUnit.HOURS.toMicros(1));
            try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, SETTINGS);
                    QueuedHandOver handOver =
                            new QueuedHandOver(rows.database, redis.outbox, OutboxListener.NONE, SETTINGS, MINE)) {
                outage.setReadOnly(true);
                relay.start();
                handOver.start();
                CommittedChange mine = new CommittedChange(key("mine"), "bbbbbbbb");
                handOver.offer(List.of(mine));
                await().until(relay::isFailing);
                // Redis has it, though it can't be recorded
                assertThat(mine.answer().get(1, TimeUnit.MINUTES)).isPresent();
                assertThat(rows.outboxRows()).isEqualTo(2);

                outage.setReadOnly(false);
                rows.freeRows();
                await().until(() -> rows.outboxRows() == 0 && !relay.isFailing());
                rows.scheduled("next", "cccccccc", MINE, TimeUnit.HOURS.toMicros(1));
                CommittedChange next = new CommittedChange(key("next"), "cccccccc");
                handOver.offer(List.of(next));
                await().until(() -> rows.outboxRows() == 0);
            }
        }
        assertThat(redis.outbox.appliedTokens()).containsExactlyInAnyOrder("aaaaaaaa", "bbbbbbbb", "cccccccc");
        assertThat(redis.accepted()).isEqualTo(3);
    }
}
