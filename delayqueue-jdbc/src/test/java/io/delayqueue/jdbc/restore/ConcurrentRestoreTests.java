package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** Several restores at once. */
class ConcurrentRestoreTests {

    private static final int COUNT = 1_500;

    /** Ends are noticed within this time, however busy the machine is. */
    private static final RestoreSettings SETTLED = new RestoreSettings(
            RestoreMode.AUTOMATIC,
            100_000,
            Duration.ofMillis(500),
            Duration.ZERO,
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ofSeconds(2));

    /** A restore takes some seconds. */
    private static final RestoreSettings PACED = new RestoreSettings(
            RestoreMode.AUTOMATIC,
            COUNT / 4,
            Duration.ofHours(1),
            Duration.ZERO,
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ofMillis(300));

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void callersAtTheSameTimeRestoreEachMessageOnce(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", COUNT, Duration.ofHours(1));
            here.awaitSent();
            here.redis().flushall();

            List<CompletableFuture<RestoreReport>> reports =
                    IntStream.range(0, 4).mapToObj(i -> restoreAll(here)).toList();
            long restored = reports.stream()
                    .mapToLong(report -> report.join().restored())
                    .sum();

            assertThat(restored).isEqualTo(COUNT);
            assertRestoredOnce(here);
        }
    }

    /** Messages that one restore brought back are handled while others go on: they don't bring them back again. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    @Tag("slow")
    void messagesThatAreHandledMeanwhileAreNotRestoredAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), SETTLED)) {
            here.relay.start();
            here.schedule("a", COUNT, Duration.ZERO);
            here.awaitSent();
            here.redis().flushall();
            here.consume();

            List<CompletableFuture<RestoreReport>> restores =
                    IntStream.range(0, 4).mapToObj(i -> restoreAll(here)).toList();
            long restored = restores.stream()
                    .mapToLong(restore -> restore.join().restored())
                    .sum();
            here.awaitAllDone();

            assertThat(restored).isEqualTo(COUNT);
            assertHandledOnce(here);
        }
    }

    private static void assertHandledOnce(RestoreFixture here) {
        assertThat(here.delivered)
                .hasSize(COUNT)
                .allSatisfy((id, times) -> assertThat(times).hasValue(1));
    }

    /** Messages of a refill are handled while it runs, and their acks are still to be recorded when another instance looks. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    @Tag("slow")
    void oneInstanceAtATimeRefills(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (RestoreFixture consuming = new RestoreFixture(dataSource, server.uri(), PACED, false, "consuming", 1);
                RestoreFixture here = new RestoreFixture(dataSource, server.uri(), PACED, false, "here", 1);
                RestoreFixture there = new RestoreFixture(dataSource, server.uri(), PACED, false, "there", 1)) {
            consuming.relay.start();
            consuming.schedule("a", COUNT, Duration.ZERO);
            consuming.awaitSent();
            // what changed just before is looked at twice
            consuming
                    .jdbc
                    .sql("UPDATE delayqueue_message SET updated = updated - 60000000")
                    .update();
            CountDownLatch recorded = new CountDownLatch(1);
            consuming.holdRecords(recorded);
            consuming.redis().flushall();
            here.restore.check(RestoreFixture.TOPIC);
            consuming.consume();

            CountDownLatch asked = new CountDownLatch(1);
            CompletableFuture<JournalRestore.Outcome> refill = CompletableFuture.supplyAsync(
                    () -> here.restore.refill(RestoreFixture.TOPIC, () -> waitsFor(asked, here)),
                    task -> new Thread(task).start());
            RestoreFixture.await().until(() -> consuming.delivered.size() > COUNT / 10);
            JournalRestore.Outcome other = there.restore.refill(RestoreFixture.TOPIC, () -> false);
            asked.countDown();
            recorded.countDown();

            assertThat(refill.join()).isEqualTo(JournalRestore.Outcome.DONE);
            consuming.awaitAllDone();
            assertHandledOnce(consuming);
            assertThat(other).isEqualTo(JournalRestore.Outcome.AGAIN);
            assertThat(here.restore.restored()).isEqualTo(COUNT);
            assertThat(there.restore.restored()).isZero();
        }
    }

    /** Slows a refill down once it has scheduled messages, so that it is under way still when another one is asked for: never stops it. */
    private static boolean waitsFor(CountDownLatch asked, RestoreFixture refilling) {
        try {
            if (refilling.restore.restored() > 0) {
                // it has to renew its lease meanwhile
                asked.await(2, TimeUnit.SECONDS);
            }
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** It might bring back messages that the other one restored, and that were handled since. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    @Tag("slow")
    void aRestoreByHandWaitsForAnotherOne(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (RestoreFixture here = new RestoreFixture(dataSource, server.uri(), PACED, false, "here", 1);
                RestoreFixture there = new RestoreFixture(dataSource, server.uri(), PACED, false, "there", 1)) {
            here.relay.start();
            here.schedule("a", COUNT, Duration.ofHours(1));
            here.awaitSent();
            here.redis().flushall();

            CompletableFuture<RestoreReport> first = restoreAll(here);
            RestoreFixture.await().until(() -> here.restore.restored() > 0);
            CompletableFuture<RestoreReport> second = restoreAll(there);
            RestoreFixture.await().until(() -> !there.restore.progress().equals(RestoreProgress.NONE));
            RestoreFixture.await().until(() -> here.restore.restored() > COUNT / 2);

            assertThat(first).isNotDone();
            assertThat(second).isNotDone();
            assertThat(there.restore.progress()).as("begun").isNotEqualTo(RestoreProgress.NONE);
            assertThat(there.restore.progress().scanned()).isZero();
            assertThat(first.join().restored()).isEqualTo(COUNT);
            assertThat(second.join().scanned()).isGreaterThanOrEqualTo(COUNT);
        }
    }

    private static CompletableFuture<RestoreReport> restoreAll(RestoreFixture fixture) {
        return CompletableFuture.supplyAsync(
                () -> fixture.restore.restore(RestoreRequest.all(), false), task -> new Thread(task).start());
    }

    /** Messages are handled all the time, each once, whatever is asked for meanwhile. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    @Tag("slow")
    void restoresByHandUnderTrafficRepeatNothing(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), SETTLED)) {
            here.start().consume();
            here.schedule("a", COUNT - 100, Duration.ZERO, Duration.ofMillis(4));
            here.awaitSent();
            here.client.schedule(OutgoingMessage.to(RestoreFixture.TOPIC)
                    .id("stranger")
                    .delay(Duration.ofHours(1))
                    .payload(new byte[1])
                    .build());
            int before = here.delivered.size();
            // due from now on, however late the others were sent
            here.schedule("b", 100, Duration.ZERO, Duration.ofMillis(30));

            assertThat(here.restore.restore(RestoreRequest.all(), false).restored())
                    .isZero();
            assertThat(here.restore.restore(RestoreRequest.overdue(), false).restored())
                    .isZero();

            RestoreFixture.await().until(() -> here.delivered.size() > before);
            RestoreFixture.await().until(() -> here.count("finished IS NULL") == 0);
            assertHandledOnce(here);
            assertThat(here.violations).isEmpty();
            assertThat(here.client.find(RestoreFixture.TOPIC, "stranger")).isPresent();
        }
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void instancesThatNoticeALossTogetherRestoreEachMessageOnce(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri());
                RestoreFixture there = new RestoreFixture(database, server.uri())) {
            here.start();
            there.start();
            here.schedule("a", COUNT, Duration.ofHours(1));
            here.awaitSent();
            here.redis().flushall();
            assertRestoredOnce(here);
            RestoreFixture.await().until(() -> here.reports.size() + there.reports.size() == 1);
            assertThat(here.restore.restored() + there.restore.restored()).isEqualTo(COUNT);
        }
    }

    private static void assertRestoredOnce(RestoreFixture here) {
        RestoreFixture.await()
                .untilAsserted(() -> assertThat(here.client
                                .stats(RestoreFixture.TOPIC)
                                .pending()
                                .scheduled())
                        .isEqualTo(COUNT));
        here.awaitSent();
        assertThat(here.client.stats(RestoreFixture.TOPIC).totals().accepted()).isEqualTo(COUNT);
        assertThat(here.count("status = 'SCHEDULED' AND finished IS NULL")).isEqualTo(COUNT);
    }
}
