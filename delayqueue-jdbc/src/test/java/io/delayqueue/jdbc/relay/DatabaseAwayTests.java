package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.MINE;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static io.delayqueue.jdbc.relay.OutboxFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DeleteTopicOutcome;
import io.delayqueue.jdbc.outbox.CommittedChange;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** No loop ends when the database goes away, and nothing is lost or sent twice. */
class DatabaseAwayTests {

    private static final OutboxSettings SETTINGS =
            new OutboxSettings(Duration.ofSeconds(10), 100, Duration.ofMillis(100), 100, 10);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    /** It would look like a loss afterwards, and its messages would come back. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void noTopicIsDeletedMeanwhile(TestDatabase database) throws Exception {
        try (DatabaseOutage outage = new DatabaseOutage(database);
                EmbeddedRedis server = EmbeddedRedis.start();
                OutboxApplication application = new OutboxApplication(
                        database,
                        server,
                        context -> context.registerBean(
                                DataSource.class, () -> new DelegatingDataSource(outage.dataSource())))) {
            application.template().schedule("orders", "order 1", Duration.ofHours(1));
            await().until(() -> application.outboxRows() == 0);

            outage.takeAway();
            assertThatExceptionOfType(DelayQueueException.class)
                    .isThrownBy(() -> application.client().forceDeleteTopic("orders"))
                    .withMessageContaining("topic 'orders' was not deleted");
            assertThat(application.client().stats("orders").pending().scheduled())
                    .isEqualTo(1);

            outage.bringBack();
            await().ignoreExceptions()
                    .until(() -> application.client().forceDeleteTopic("orders") == DeleteTopicOutcome.DELETED);
        }
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void goesOnAfterAnOutageBetweenRedisAnswerAndItsRecord(TestDatabase database) throws Exception {
        try (DatabaseOutage outage = new DatabaseOutage(database)) {
            OutboxFixture rows = new OutboxFixture(outage.dataSource());
            rows.scheduled(300, "m");
            redis.outbox.beforeNextReply(outage::takeAway);
            try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, SETTINGS);
                    QueuedHandOver handOver =
                            new QueuedHandOver(rows.database, redis.outbox, OutboxListener.NONE, SETTINGS, MINE)) {
                relay.start();
                handOver.start();
                await().until(relay::isFailing);
                CommittedChange left = new CommittedChange(key("later"), "later000");
                handOver.offer(List.of(left));
                assertThat(left.answer().get(1, TimeUnit.MINUTES)).isEmpty();
                assertThat(redis.outbox.applied).hasSize(100);

                outage.bringBack();
                await().ignoreExceptions().until(() -> rows.outboxRows() == 300);
                rows.scheduled("later", "later000", MINE, TimeUnit.HOURS.toMicros(1));
                CommittedChange later = new CommittedChange(key("later"), "later000");
                handOver.offer(List.of(later));
                await().until(() -> rows.operationsOf("later").isEmpty());
                // what was taken before the outage is sent when the send timeout is over
                rows.freeRows();
                await().until(() -> rows.outboxRows() == 0 && !relay.isFailing());
            }
            assertThat(redis.outbox.appliedTokens()).hasSize(301).doesNotHaveDuplicates();
            assertThat(redis.outbox.repeated).hasValueGreaterThanOrEqualTo(100);
            assertThat(redis.accepted()).isEqualTo(301);
        }
    }

    /** Then Redis does not know the changes any more, which are sent again: it knows the messages, and the journal those that ended. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void nothingIsThereTwiceAfterAnOutageLongerThanRedisRemembers(TestDatabase database) throws Exception {
        // no relay takes a row again before this test frees it
        OutboxSettings settings = new OutboxSettings(Duration.ofHours(1), 100, Duration.ofMillis(100), 100, 10);
        try (DatabaseOutage outage = new DatabaseOutage(database)) {
            OutboxFixture rows = new OutboxFixture(outage.dataSource());
            List<String> ids = rows.scheduled(20, "m");
            redis.outbox.beforeNextReply(outage::takeAway);
            try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, settings)) {
                relay.start();
                await().until(relay::isFailing);
                assertThat(redis.accepted()).isEqualTo(20);
                ids.subList(0, 10).forEach(id -> redis.client.cancel(OutboxFixture.TOPIC, id));
                redis.forgetApplied();

                outage.bringBack();
                await().ignoreExceptions().until(() -> rows.outboxRows() == 20);
                for (int i = 0; i < 10; i++) {
                    rows.set(String.format(Locale.ROOT, "g%07d", i), "status", "ACKED");
                    rows.set(String.format(Locale.ROOT, "g%07d", i), "finished", rows.now());
                }
                rows.freeRows();
                await().until(() -> rows.outboxRows() == 0 && !relay.isFailing());
            }
            assertThat(redis.outbox.repeated)
                    .as("changes that Redis remembered")
                    .hasValue(0);
            assertThat(redis.accepted()).isEqualTo(20);
            assertThat(redis.client.stats(OutboxFixture.TOPIC).pending().scheduled())
                    .isEqualTo(10);
            assertThat(rows.statuses()).isEqualTo(Map.of("ACKED", 10, "SCHEDULED", 10));
        }
    }
}
