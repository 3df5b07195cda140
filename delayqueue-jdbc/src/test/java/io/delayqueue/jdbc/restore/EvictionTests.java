package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.jdbc.restore.JournalRestore.Outcome;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** Redis evicts keys, or somebody deletes them: no counter of its mark tells, but a comparison does. */
@Tag("slow")
class EvictionTests {

    private static final String KEYS = "dq:{orders:0}";

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void evictedMessagesAreScheduledAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 600, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");

            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            here.awaitAllScheduled(600);
            assertThat(here.reports).singleElement().satisfies(report -> {
                assertThat(report.count(Difference.Kind.ONLY_IN_JOURNAL)).isEqualTo(600);
                assertThat(report.restored()).isEqualTo(600);
                assertThat(report.examples()).hasSize(20);
            });
            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false))
                    .isEqualTo(JournalRestore.Outcome.NOTHING);
        }
    }

    /** Redis evicts whole keys, the largest ones first. Its counters take messages without a body for scheduled. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void messagesWithoutBodiesAreScheduledAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 600, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages");
            assertThat(here.client.stats(RestoreFixture.TOPIC).unaccounted()).isZero();

            assertThat(here.restore.compare(RestoreFixture.TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            assertThat(here.count("status = 'UNRECORDED'")).isZero();
            here.awaitAllScheduled(600);
            assertThat(here.reports)
                    .singleElement()
                    .satisfies(report -> assertThat(report.restored()).isEqualTo(600));
            // that these were lost says nothing of one that is missing now
            here.auditing = false;
            here.client.cancel(RestoreFixture.TOPIC, "a0");
            here.restore.compare(RestoreFixture.TOPIC, () -> false);
            assertThat(here.status("a0")).isEqualTo("UNRECORDED");
        }
    }

    /** Its handler has it all the same. */
    @EachDatabase(DatabaseKind.H2)
    void aMessageWithoutABodyIsLeftToItsHandler(TestDatabase database) throws InterruptedException {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            here.schedule("a", 1, Duration.ZERO);
            here.awaitSent();
            here.client
                    .subscribe(RestoreFixture.TOPIC, ConsumerOptions.defaults(), (message, delivery) -> {
                        begun.countDown();
                        mayEnd.await();
                    })
                    .start();
            assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
            here.redis().del(KEYS + ":messages");

            here.restore.compare(RestoreFixture.TOPIC, () -> false);

            assertThat(here.status("a0")).isEqualTo("SCHEDULED");
            assertThat(here.reports).isEmpty();
            mayEnd.countDown();
            RestoreFixture.await().until(() -> here.recordedAcks.contains("a0"));
            assertThat(here.status("a0")).isEqualTo("ACKED");
        }
    }

    /** A comparison that begins before the first message of a partition goes on. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void aPartitionMayBeUsedForTheFirstTimeMeanwhile(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(
                database.withSchema().dataSource(), server.uri(), RestoreFixture.SETTINGS, true, "here", 2)) {
            here.relay.start();
            here.schedule(idsIn(here, 0, 60), Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");
            AtomicBoolean used = new AtomicBoolean();

            Outcome outcome = here.restore.compare(RestoreFixture.TOPIC, () -> {
                if (!used.getAndSet(true)) {
                    here.schedule(idsIn(here, 1, 1), Duration.ofHours(1));
                    here.awaitSent();
                }
                return false;
            });

            assertThat(outcome).isEqualTo(Outcome.DONE);
            assertThat(used).isTrue();
            here.awaitSent();
            assertThat(here.scheduled()).isEqualTo(61);
            assertThat(here.count("status = 'SCHEDULED'")).isEqualTo(61);
        }
    }

    private static List<String> idsIn(RestoreFixture here, int partition, int count) {
        List<String> ids = IntStream.range(0, 500).mapToObj(i -> "p" + i).toList();
        Set<String> some = here.client.survey(RestoreFixture.TOPIC).idsIn(Set.of(partition), ids);
        return ids.stream().filter(some::contains).limit(count).toList();
    }

    /** Nobody has to ask for it. */
    @EachDatabase(DatabaseKind.H2)
    void evictedMessagesAreFoundByThePeriodicComparison(TestDatabase database) {
        RestoreSettings often = new RestoreSettings(
                RestoreMode.AUTOMATIC,
                100_000,
                Duration.ofHours(1),
                Duration.ofMillis(300),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofMillis(100));
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), often)) {
            here.start();
            here.schedule("a", 60, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":messages", KEYS + ":scheduled");

            here.awaitAllScheduled(60);
        }
    }

    /** Keys of another user of the same Redis crowd them out, whichever keys Redis takes. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void messagesThatRedisEvictsForOtherKeysComeBack(TestDatabase database) {
        RestoreSettings often = new RestoreSettings(
                RestoreMode.AUTOMATIC,
                100_000,
                Duration.ofMillis(300),
                Duration.ofMillis(300),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofMillis(100));
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), often)) {
            here.start();
            here.schedule("a", 600, Duration.ofHours(1));
            here.awaitSent();

            here.redis().configSet("maxmemory-policy", "allkeys-random");
            here.redis().configSet("maxmemory", usedMemory(here));
            AtomicInteger number = new AtomicInteger();
            RestoreFixture.await().pollInterval(Duration.ofMillis(5)).until(() -> {
                here.redis().set("other:" + number.incrementAndGet(), "x".repeat(10_000));
                return here.redis().exists(KEYS + ":messages", KEYS + ":scheduled") < 2;
            });
            assertThat(here.redis().info("stats")).doesNotContain("evicted_keys:0\r");
            here.redis().configSet("maxmemory", "0");

            here.awaitAllScheduled(600);
            assertThat(here.count("status <> 'SCHEDULED'")).isZero();
        }
    }

    private static String usedMemory(RestoreFixture here) {
        return here.redis()
                .info("memory")
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .map(line -> line.substring("used_memory:".length()))
                .findFirst()
                .orElseThrow();
    }

    /** Remains of them would keep them out. */
    @EachDatabase(DatabaseKind.H2)
    void messagesWithoutDueTimesAreScheduledAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 60, Duration.ofHours(1));
            here.awaitSent();
            here.redis().del(KEYS + ":scheduled");

            assertThat(here.restore.restore(RestoreRequest.all(), false).restored())
                    .isEqualTo(60);
            here.awaitAllScheduled(60);
        }
    }
}
