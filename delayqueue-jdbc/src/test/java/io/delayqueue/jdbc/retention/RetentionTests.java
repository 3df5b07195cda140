package io.delayqueue.jdbc.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;

@Everyday(DatabaseKind.MARIADB)
@Tag("slow")
class RetentionTests {

    private static final Duration LIMIT = Duration.ofSeconds(120);

    private static final RetentionSettings SETTINGS = settings(1_000);

    private static RetentionSettings settings(int batchSize) {
        return settings(batchSize, Duration.ofMillis(200));
    }

    private static RetentionSettings settings(int batchSize, Duration interval) {
        return new RetentionSettings(
                Map.of("ACKED", Duration.ofDays(7), "DEAD", Duration.ofDays(90)),
                Duration.ofDays(30),
                Duration.ofDays(30),
                batchSize,
                interval);
    }

    @EachDatabase
    void whatIsOldEnoughGoesByStatusAndTheRestStays(TestDatabase database) {
        JournalRows rows = new JournalRows(database);
        rows.messages(3, "old", "ACKED", 8);
        rows.messages(3, "young", "ACKED", 6);
        rows.messages(3, "dead", "DEAD", 89);
        rows.messages(3, "long dead", "DEAD", 91);
        rows.messages(3, "without a retention", "CANCELLED", 1_000);
        rows.unfinished(3, "waits", "SCHEDULED");
        rows.events(3, "old", 31);
        rows.events(3, "young", 29);
        rows.inbox(3, "old", 31);
        rows.inbox(3, "young", 29);

        try (Pruner pruner = rows.pruner(SETTINGS)) {
            assertThat(pruner.runOnce()).isFalse();
            assertThat(pruner.pruned()).isEqualTo(12);
        }

        assertThat(rows.ids("message")).containsExactly("dead", "waits", "without a retention", "young");
        assertThat(rows.ids("event")).containsExactly("young");
        assertThat(rows.ids("inbox")).containsExactly("young");
    }

    @EachDatabase
    void aMessageWithChangesThatAreNotSentStays(TestDatabase database) {
        JournalRows rows = new JournalRows(database);
        rows.messages(1, "sent", "ACKED", 8);
        rows.messages(1, "changed", "ACKED", 8);
        rows.outbox("changed-0");

        try (Pruner pruner = rows.pruner(SETTINGS)) {
            pruner.runOnce();
        }

        assertThat(rows.ids("message")).containsExactly("changed");
    }

    @EachDatabase
    void aBatchIsBoundedAndNoKindWaitsForAnother(TestDatabase database) {
        JournalRows rows = new JournalRows(database);
        rows.messages(50, "acked", "ACKED", 8);
        rows.messages(50, "dead", "DEAD", 91);
        rows.events(50, "event", 31);
        rows.inbox(50, "handled", 31);

        try (Pruner pruner = rows.pruner(settings(10))) {
            assertThat(pruner.runOnce()).isTrue();
            assertThat(rows.count("message", "status = 'ACKED'")).isEqualTo(40);
            assertThat(rows.count("message", "status = 'DEAD'")).isEqualTo(40);
            assertThat(rows.count("event", "1 = 1")).isEqualTo(40);
            assertThat(rows.count("inbox", "1 = 1")).isEqualTo(40);
        }
    }

    /** Others insert while the pruner deletes, and it still gets to the end. */
    @EachDatabase
    void keepsUpWithTheIntake(TestDatabase database) throws Exception {
        JournalRows rows = new JournalRows(database);
        rows.messages(20_000, "backlog", "ACKED", 8);
        rows.events(20_000, "backlog", 31);
        AtomicBoolean ends = new AtomicBoolean();
        CompletableFuture<Integer> intake = CompletableFuture.supplyAsync(() -> rows.intake(ends));

        int added;
        try {
            Pruner patient = rows.pruner(settings(1_000, Duration.ofHours(1)));
            try (patient) {
                patient.start();
                // no pause before all of the backlog is gone: one pause is longer than this test
                await().atMost(LIMIT).until(() -> patient.pruned() >= 40_000);
            }
            try (Pruner pruner = rows.pruner(SETTINGS)) {
                pruner.start();
                // no more than comes in between two looks, while more is coming
                await().atMost(LIMIT).until(() -> rows.count("message", "1 = 1") <= 2_000);
                assertThat(intake).isNotDone();
                ends.set(true);
                added = intake.get(120, TimeUnit.SECONDS);
                await().atMost(LIMIT).until(() -> patient.pruned() + pruner.pruned() == 40_000 + added);
            }
        } finally {
            ends.set(true);
        }

        assertThat(added).isPositive();
        assertThat(rows.count("message", "1 = 1")).isZero();
    }

    @EachDatabase
    void oneOfTwoInstancesPrunesAndTheOtherOneTakesOver(TestDatabase database) {
        JournalRows rows = new JournalRows(database);
        try (Pruner one = rows.pruner(SETTINGS);
                Pruner other = rows.pruner(SETTINGS)) {
            rows.messages(100, "first", "ACKED", 8);
            one.start();
            await().atMost(LIMIT).until(() -> one.pruned() == 100);
            other.start();
            for (int more = 200; more <= 600; more += 100) {
                rows.messages(100, "until " + more, "ACKED", 8);
                int all = more;
                await().atMost(LIMIT).until(() -> one.pruned() == all);
            }
            assertThat(other.pruned()).isZero();

            one.stop();
            rows.messages(100, "third", "ACKED", 8);
            await().atMost(LIMIT).until(() -> other.pruned() == 100);
        }
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void goesOnWhenTheDatabaseIsBack(TestDatabase database) throws Exception {
        JournalRows rows = new JournalRows(database);
        String name = database.url().replaceAll(".*/([^?]+).*", "$1");
        try (Pruner pruner = rows.pruner(SETTINGS)) {
            pruner.start();
            rows.messages(10, "before", "ACKED", 8);
            await().atMost(LIMIT).until(() -> pruner.pruned() == 10);

            rows.messages(10, "during", "ACKED", 1);
            admin(database, "ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
            admin(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'");
            await().atMost(LIMIT).until(pruner::isFailing);

            admin(database, "ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
            await().atMost(LIMIT).ignoreExceptions().until(() -> {
                rows.messages(10, "after", "ACKED", 8);
                return true;
            });
            await().atMost(LIMIT).until(() -> pruner.pruned() == 20);
            await().atMost(LIMIT).until(() -> !pruner.isFailing());
        }
        assertThat(rows.ids("message")).containsExactly("during");
    }

    @EachDatabase
    void countersOfInstancesThatEndedGoOnceOthersHaveThem(TestDatabase database) {
        JournalRows rows = new JournalRows(database);
        rows.partition("covered", "epoch", 5, 5, 2);
        rows.partition("higher ack", "epoch", 5, 9, 2);
        rows.partition("alive", "epoch", 7, 7, 0);
        rows.partition("alone in its epoch", "other", 1, 1, 2);
        rows.partition("twin 1", "twins", 4, 4, 2);
        rows.partition("twin 2", "twins", 4, 4, 2);
        rows.partition("#epoch", "epoch", 1, 1, 2);

        try (Pruner pruner = rows.pruner(SETTINGS)) {
            pruner.runOnce();
        }

        assertThat(rows.instances())
                .containsExactlyInAnyOrder("#epoch", "alive", "alone in its epoch", "higher ack", "twin 2");
    }

    /** Its messages must not come back while the journal knows one. */
    @EachDatabase
    void thatATopicWasDeletedIsKeptAsLongAsMessages(TestDatabase database) {
        JournalRows rows = new JournalRows(database);
        rows.partition("#deleted", "-", 1, 0, 89);
        rows.partition("#epoch", "epoch", 1, 1, 89);

        assertThat(rows.partitions(10).delete(rows.now())).isZero();
        assertThat(rows.partitions(10).delete(rows.now() + TimeUnit.DAYS.toMicros(2)))
                .isOne();

        assertThat(rows.instances()).containsExactly("#epoch");
    }

    /** Rows that stay for good, such as those that no instance wrote, are the oldest ones. */
    @EachDatabase
    void rowsThatStayDoNotHideTheOnesBehindThem(TestDatabase database) {
        JournalRows rows = new JournalRows(database);
        for (int i = 0; i < 5; i++) {
            rows.partition("#epoch" + i, "epoch", 1, 1, 9);
        }
        rows.partition("covered", "epoch", 5, 5, 3);
        rows.partition("alone in its epoch", "other", 1, 1, 3);
        rows.partition("covered too", "epoch", 6, 6, 2);
        rows.partition("alive", "epoch", 7, 7, 0);
        StalePartitions partitions = rows.partitions(2);

        int deleted = 0;
        for (int pass = 0; pass < 5; pass++) {
            deleted += partitions.delete(rows.now());
        }

        assertThat(deleted).isEqualTo(2);
        assertThat(rows.instances()).hasSize(7).doesNotContain("covered", "covered too");
    }

    private static void admin(TestDatabase database, String sql) throws Exception {
        String url = database.url().replaceAll("/[^/?]+(\\?|$)", "/postgres$1");
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
