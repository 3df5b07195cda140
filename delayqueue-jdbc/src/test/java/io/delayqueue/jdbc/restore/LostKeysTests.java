package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** The number of keys that Redis knew to have lost at the last comparison tells which messages it lost since. */
@Tag("slow")
class LostKeysTests {

    private static final String KEYS = "dq:{orders:0}";

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** The number of lost keys of the last comparison was that of another life of Redis. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void anEvictionAfterARefillIsFound(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 60, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            here.awaitAllScheduled(60);
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            here.redis().flushall();
            refill(here);
            here.awaitAllScheduled(60);
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");

            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            assertThat(here.count("status = 'UNRECORDED'")).isZero();
            here.awaitAllScheduled(60);
        }
    }

    /** The totals begin anew, and count fewer messages than there are. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void anEvictionAfterThatOfTheCountersIsFound(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 60, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":meta");
            refill(here);
            assertThat(here.losses).containsExactly(new RedisLossDetectedEvent(RestoreFixture.TOPIC, 0, Loss.EMPTY));
            assertThat(here.client.stats(RestoreFixture.TOPIC).unaccounted()).isEqualTo(-60);
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");

            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            assertThat(here.count("status = 'UNRECORDED'")).isZero();
            here.awaitAllScheduled(60);
        }
    }

    /** A comparison that only reports leaves what it found to the next one. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void anEvictionThatWasReportedIsRepairedLater(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (RestoreFixture reporting = instance(dataSource, RestoreMode.REPORT);
                RestoreFixture here = instance(dataSource, RestoreMode.AUTOMATIC)) {
            here.relay.start();
            here.schedule("a", 20, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");
            reporting.restore.compare(RestoreFixture.TOPIC, () -> false);
            assertThat(reporting.reports)
                    .singleElement()
                    .satisfies(report -> assertThat(report.count(Difference.Kind.ONLY_IN_JOURNAL))
                            .isEqualTo(20));

            here.restore.compare(RestoreFixture.TOPIC, () -> false);

            assertThat(here.count("status = 'UNRECORDED'")).isZero();
            here.awaitAllScheduled(20);
        }
    }

    /** It had a change of its own at the comparison that found it; Redis' counters are those of that one at the next. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void anEvictedMessageWhoseChangeWasStillToBeSentIsScheduledAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 20, Duration.ofHours(1));
            here.awaitSent();
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            here.reschedule("a0", Duration.ofHours(3), Duration.ofHours(1));
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            RestoreFixture.await().until(() -> here.scheduled() == 19);
            here.endClaims();
            here.awaitSent();

            here.restore.compare(RestoreFixture.TOPIC, () -> false);

            assertThat(here.status("a0")).isEqualTo("SCHEDULED");
            here.awaitAllScheduled(20);
        }
    }

    /** Keys that were evicted earlier say nothing of messages that are missing now. */
    @EachDatabase(DatabaseKind.H2)
    void anEvictionCountsForOneComparison(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 20, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            here.awaitAllScheduled(20);
            here.auditing = false;
            here.client.cancel(RestoreFixture.TOPIC, "a0");

            here.restore.compare(RestoreFixture.TOPIC, () -> false);

            assertThat(here.status("a0")).isEqualTo("UNRECORDED");
            here.redis().hdel(KEYS + ":messages", "a1");
            here.redis().zrem(KEYS + ":scheduled", "a1");
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            here.awaitAllScheduled(19);
        }
    }

    private RestoreFixture instance(DataSource dataSource, RestoreMode mode) {
        RestoreSettings settings = new RestoreSettings(
                mode,
                100_000,
                Duration.ofHours(1),
                Duration.ZERO,
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofMillis(300));
        return new RestoreFixture(dataSource, server.uri(), settings, true, mode.name(), 1);
    }

    private static void refill(RestoreFixture here) {
        assertThat(here.restore.check(RestoreFixture.TOPIC)).isTrue();
        here.restore.removeRevived(RestoreFixture.TOPIC, () -> false);
        RestoreFixture.await().until(() -> {
            here.restore.refill(RestoreFixture.TOPIC, () -> false);
            return here.openRefills() == 0;
        });
    }
}
