package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.MINE;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static io.delayqueue.jdbc.relay.OutboxFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ReceivedMessage;
import io.delayqueue.jdbc.audit.AuditBuffer;
import io.delayqueue.jdbc.audit.AuditObserver;
import io.delayqueue.jdbc.audit.AuditSettings;
import io.delayqueue.jdbc.audit.AuditWriter;
import io.delayqueue.jdbc.outbox.CommittedChange;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.LossWatch;
import io.delayqueue.jdbc.restore.RedisLossDetectedEvent;
import io.delayqueue.jdbc.restore.RestoreFinishedEvent;
import io.delayqueue.jdbc.restore.RestoreMode;
import io.delayqueue.jdbc.restore.RestoreSettings;
import io.delayqueue.jdbc.restore.SeenMarks;
import io.delayqueue.jdbc.retention.Pruner;
import io.delayqueue.jdbc.retention.RetentionSettings;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * No loop ends when the database refuses all writes: as it is read-only, which it may be after a failover, or by one deadlock after the
 * other. Each goes on when that is over.
 */
class ReadOnlyDatabaseTests {

    private static final OutboxSettings SETTINGS =
            new OutboxSettings(Duration.ofSeconds(10), 100, Duration.ofMillis(100), 100, 10);

    private static final RestoreSettings RESTORE = new RestoreSettings(
            RestoreMode.AUTOMATIC,
            100_000,
            Duration.ofMillis(200),
            Duration.ZERO,
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ofMillis(300));

    private static final RetentionSettings RETENTION = new RetentionSettings(
            Map.of("ACKED", Duration.ofDays(7)), Duration.ofDays(7), Duration.ofDays(7), 100, Duration.ofMillis(200));

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    /** Lets a database refuse all writes, or take them again. */
    @FunctionalInterface
    private interface Refusal {
        void set(DatabaseOutage outage, boolean refused) throws SQLException;
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void outboxGoesOnWhenTheDatabaseIsNotReadOnlyAnyMore(TestDatabase database) throws Exception {
        assertOutboxGoesOn(database, DatabaseOutage::setReadOnly);
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    @Tag("slow")
    void outboxGoesOnAfterDeadlocks(TestDatabase database) throws Exception {
        assertOutboxGoesOn(database, DatabaseOutage::setDeadlocking);
    }

    private void assertOutboxGoesOn(TestDatabase database, Refusal refusal) throws Exception {
        try (DatabaseOutage outage = new DatabaseOutage(database)) {
            OutboxFixture rows = new OutboxFixture(outage.dataSource());
            rows.scheduled("left", "aaaaaaaa", 1, ENDED);
            rows.scheduled("mine", "bbbbbbbb", MINE, TimeUnit.HOURS.toMicros(1));
            try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, SETTINGS);
                    QueuedHandOver handOver =
                            new QueuedHandOver(rows.database, redis.outbox, OutboxListener.NONE, SETTINGS, MINE)) {
                refusal.set(outage, true);
                relay.start();
                handOver.start();
                CommittedChange mine = new CommittedChange(key("mine"), "bbbbbbbb");
                handOver.offer(List.of(mine));
                await().until(relay::isFailing);
                // Redis has it, though it can't be recorded
                assertThat(mine.answer().get(1, TimeUnit.MINUTES)).isPresent();
                assertThat(rows.outboxRows()).isEqualTo(2);

                refusal.set(outage, false);
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

    /** A write that is refused is no value that the database can't keep: no event may be dropped for it. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void noEventIsLostAndOldRowsAndLossesAreLookedForAgain(TestDatabase database) throws Exception {
        assertNoEventIsLost(database, DatabaseOutage::setReadOnly);
    }

    @EachDatabase(DatabaseKind.MARIADB)
    @Tag("slow")
    void noEventIsLostAndOldRowsAndLossesAreLookedForAgainAfterDeadlocks(TestDatabase database) throws Exception {
        assertNoEventIsLost(database, DatabaseOutage::setDeadlocking);
    }

    private void assertNoEventIsLost(TestDatabase database, Refusal refusal) throws Exception {
        try (DatabaseOutage outage = new DatabaseOutage(database)) {
            OutboxFixture rows = new OutboxFixture(outage.dataSource());
            List<String> ids = rows.scheduled(11, "m");
            Queue<Object> told = new ConcurrentLinkedQueue<>();
            AuditBuffer buffer = new AuditBuffer(1_000, 1 << 20);
            AuditObserver observer = new AuditObserver(buffer);
            SeenMarks seen = new SeenMarks(rows.database, "here");
            JournalRestore restore =
                    new JournalRestore(redis.client, rows.database, seen, buffer::whenWritten, RESTORE, told::add);
            try (AuditWriter audit = new AuditWriter(
                            rows.database,
                            buffer,
                            new RedisTime(() -> redis.outbox),
                            AuditSettings.DEFAULTS,
                            events -> {});
                    Pruner pruner = new Pruner(rows.database, transaction(rows), RETENTION);
                    LossWatch watch = new LossWatch(restore, seen);
                    Relay relay = new Relay(rows.database, redis.outbox, watch, SETTINGS)) {
                assertThat(relay.runOnce()).isEqualTo(11);
                refusal.set(outage, true);
                redis.empty();
                audit.start();
                pruner.start();
                watch.start();
                for (int i = 0; i < 10; i++) {
                    observer.acked(received(ids.get(i), String.format(Locale.ROOT, "g%07d", i)));
                }
                await().until(() -> audit.isFailing() && pruner.isFailing());
                await().during(Duration.ofSeconds(1)).until(() -> audit.isFailing() && told.isEmpty());
                assertThat(rows.statuses()).containsOnly(Map.entry("SCHEDULED", 11));

                refusal.set(outage, false);
                relay.start();
                await().until(() -> Objects.equals(rows.statuses().get("ACKED"), 10));
                assertThat(buffer.dropped()).isZero();
                await().untilAsserted(() -> assertThat(told)
                        .hasAtLeastOneElementOfType(RedisLossDetectedEvent.class)
                        .hasAtLeastOneElementOfType(RestoreFinishedEvent.class));
                assertThat(restore.restored()).isEqualTo(1);
                await().until(() -> !audit.isFailing() && !pruner.isFailing());
            }
        }
    }

    private static JournalTransaction transaction(OutboxFixture rows) {
        return new JournalTransaction(rows.database.dataSource(), rows.database.dialect());
    }

    private static ReceivedMessage received(String id, String generation) {
        return ReceivedMessage.of(OutboxFixture.TOPIC, id)
                .due(Instant.now())
                .generation(generation)
                .build();
    }
}
