package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** Instances that start again and again compare all the same. */
class NextComparisonTests {

    private static final Duration INTERVAL = Duration.ofHours(1);

    @EachDatabase
    void aStartGoesOnWithTheIntervalOfOthers(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        NextComparison next = nextComparison(dataSource);
        assertThat(next.left(INTERVAL)).isEqualTo(INTERVAL);

        let(Duration.ofMinutes(20), dataSource);
        Duration left = nextComparison(dataSource).left(INTERVAL);
        assertThat(left).isBetween(Duration.ofMinutes(1), Duration.ofMinutes(40));
        assertThat(next.left(INTERVAL)).isLessThanOrEqualTo(left);

        let(Duration.ofMinutes(50), dataSource);
        assertThat(nextComparison(dataSource).left(INTERVAL)).isZero();
        next.begin(INTERVAL);
        assertThat(nextComparison(dataSource).left(INTERVAL)).isGreaterThan(Duration.ofMinutes(40));
    }

    /** The interval was longer before, or the database's clock was ahead. */
    @EachDatabase(DatabaseKind.H2)
    void noStartWaitsForLongerThanItsInterval(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        NextComparison next = nextComparison(dataSource);
        next.begin(Duration.ofDays(30));
        assertThat(next.left(INTERVAL)).isEqualTo(INTERVAL);

        let(INTERVAL, dataSource);
        assertThat(next.left(INTERVAL)).isZero();
    }

    @EachDatabase(DatabaseKind.H2)
    void anInstanceThatStartsComparesWhenTheIntervalIsOver(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (EmbeddedRedis server = EmbeddedRedis.start()) {
            List<String> ids;
            try (RestoreFixture first = instance(dataSource, server, "first")) {
                first.start();
                ids = first.schedule("a", 20, Duration.ofHours(2));
                first.awaitSent();
                RestoreFixture.await().until(() -> noted(dataSource) == 1);
                first.redis().del("dq:{orders:0}:messages", "dq:{orders:0}:scheduled");
            }
            let(INTERVAL, dataSource);

            try (RestoreFixture second = instance(dataSource, server, "second")) {
                second.start();

                RestoreFixture.await()
                        .untilAsserted(() -> assertThat(second.scheduled()).isEqualTo(ids.size()));
                // all topics were compared: the next start waits for an interval
                RestoreFixture.await()
                        .until(() -> !nextComparison(dataSource).left(INTERVAL).isZero());
            }
        }
    }

    private static RestoreFixture instance(DataSource dataSource, EmbeddedRedis server, String name) {
        RestoreSettings settings = new RestoreSettings(
                RestoreMode.AUTOMATIC,
                100_000,
                INTERVAL,
                INTERVAL,
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofMillis(100));
        return new RestoreFixture(dataSource, server.uri(), settings, true, name, 1);
    }

    private static NextComparison nextComparison(DataSource dataSource) {
        JournalDatabase journal = journal(dataSource);
        JournalTransaction transaction = new JournalTransaction(dataSource, journal.dialect());
        return new NextComparison(journal, transaction, new RecordedMessages(journal, transaction));
    }

    private static JournalDatabase journal(DataSource dataSource) {
        return new JournalDatabase(dataSource, new JournalTables(JournalTables.DEFAULT_PREFIX));
    }

    private static long noted(DataSource dataSource) {
        return journal(dataSource)
                .jdbc()
                .sql("SELECT COUNT(*) FROM delayqueue_lease WHERE name = ?")
                .param(NextComparison.NAME)
                .query(Long.class)
                .single();
    }

    /** As if this time had passed. */
    private static void let(Duration pass, DataSource dataSource) {
        journal(dataSource)
                .jdbc()
                .sql("UPDATE delayqueue_lease SET expires = expires - ? WHERE name = ?")
                .params(pass.toMillis() * 1_000, NextComparison.NAME)
                .update();
    }
}
